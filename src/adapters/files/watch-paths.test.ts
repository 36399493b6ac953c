import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { watchPaths } from "./watch-paths.ts";

const folder = mkdtempSync(join(tmpdir(), "prevail-watch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fresh = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
};

/** Does it and waits until it was noticed. */
async function expectNoticed(path: string, act: () => void): Promise<void> {
  const onChange = vi.fn<() => void>();
  const watch = watchPaths([path], { onChange, onTrouble: () => undefined, quietMs: 5 });
  try {
    // Some systems report changes from just before the watch began.
    await new Promise((resolve) => setTimeout(resolve, 30));
    onChange.mockClear();
    act();
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), { timeout: 10_000 });
  } finally {
    watch.close();
  }
}

test("a file in a folder is written", async () => {
  const path = fresh("written");
  writeFileSync(join(path, "a.yaml"), "1");
  await expectNoticed(path, () => writeFileSync(join(path, "a.yaml"), "2"));
});

test("a file comes, and one goes", async () => {
  const path = fresh("comes");
  await expectNoticed(path, () => writeFileSync(join(path, "new.yaml"), "1"));
  await expectNoticed(path, () => rmSync(join(path, "new.yaml")));
});

test("a file in a folder below is written", async () => {
  const path = fresh("below");
  mkdirSync(join(path, "deep"));
  await expectNoticed(path, () => writeFileSync(join(path, "deep", "a.yaml"), "1"));
});

test("an editor replaces the file by a new one, again and again", async () => {
  const file = join(fresh("replaced"), "a.yaml");
  writeFileSync(file, "1");
  const replace = (): void => {
    writeFileSync(`${file}.tmp`, "2");
    renameSync(`${file}.tmp`, file);
  };
  await expectNoticed(file, replace);
  await expectNoticed(file, replace);
});

test("several writes in a row are one change", async () => {
  const path = fresh("burst");
  const onChange = vi.fn<() => void>();
  const watch = watchPaths([path], { onChange, onTrouble: () => undefined, quietMs: 200 });
  for (let time = 0; time < 20; time++) writeFileSync(join(path, `${time}.yaml`), "1");
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), { timeout: 10_000 });
  watch.close();
  expect(onChange).toHaveBeenCalledTimes(1);
});

test("a path that cannot be watched is polled, and that is reported", async () => {
  const onChange = vi.fn<() => void>();
  const onTrouble = vi.fn<(path: string, reason: string) => void>();
  const path = join(folder, "nowhere");
  const watch = watchPaths([path], { onChange, onTrouble, pollMs: 5 });
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled());
  watch.close();
  expect(onTrouble).toHaveBeenCalledWith(path, expect.stringContaining("ENOENT"));
});

test("after it is closed it never calls back", async () => {
  const path = fresh("closed");
  const onChange = vi.fn<() => void>();
  const watch = watchPaths([path], { onChange, onTrouble: () => undefined, quietMs: 20 });
  writeFileSync(join(path, "a.yaml"), "1");
  watch.close();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(onChange).not.toHaveBeenCalled();
});
