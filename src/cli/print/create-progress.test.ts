import { expect, test } from "vitest";
import { createProgress } from "./create-progress.ts";

function progress(isTerminal: boolean) {
  let text = "";
  let now = 0;
  const io = {
    isTerminal: { stdout: false, stderr: isTerminal },
    now: () => now,
    stderr: (more: string) => {
      text += more;
    },
  };
  const { file, end } = createProgress(io);
  return {
    file,
    end,
    wait: (ms: number) => {
      now += ms;
    },
    text: () => text,
  };
}

test("short work is silent", () => {
  const { file, end, text } = progress(true);
  file("a.yaml", 100);
  end();
  expect(text()).toBe("");
});

test("long work has one line, which is gone at the end", () => {
  const { file, end, wait, text } = progress(true);
  file("a.yaml", 100);
  wait(1000);
  file("b.yaml", 100);
  end();
  expect(text()).toBe("\r\u001b[Kreading file 2 …\r\u001b[K");
});

test("a large file is announced before it is read", () => {
  const { file, text } = progress(true);
  file("a.yaml", 10_000_000);
  expect(text()).toBe("\r\u001b[Kreading file 1 …");
});

test("a pipe sees nothing of it", () => {
  const { file, end, wait, text } = progress(false);
  wait(5000);
  file("a.yaml", 10_000_000);
  end();
  expect(text()).toBe("");
});
