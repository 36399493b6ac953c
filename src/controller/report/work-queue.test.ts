import { expect, test } from "vitest";
import { WorkQueue } from "./work-queue.ts";

/** A queue whose work is ended by the test. */
function queue(workers: number) {
  const log: string[] = [];
  const running = new Map<string, (afterMs?: number) => void>();
  const made = new WorkQueue<string>({
    workers,
    work: (key) => {
      log.push(key);
      return new Promise((resolve) => running.set(key, resolve));
    },
    monotonicMs: () => performance.now(),
  });
  const end = async (key: string, afterMs?: number): Promise<void> => {
    running.get(key)?.(afterMs);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { made, log, end };
}

test("a key that is added several times is worked on once, and once more if it was added meanwhile", async () => {
  const { made, log, end } = queue(2);
  made.open();
  for (const key of ["a", "a", "b"]) made.add(key);
  expect(log).toEqual(["a", "b"]);
  made.add("a");
  made.add("a");
  expect(log).toEqual(["a", "b"]);
  await end("a");
  expect(log).toEqual(["a", "b", "a"]);
  await end("a");
  expect([log.length, made.size]).toEqual([3, 1]);
});

test("no more at once than there are workers, in their order", async () => {
  const { made, log, end } = queue(2);
  made.open();
  for (const key of ["a", "b", "c", "d"]) made.add(key);
  expect(log).toEqual(["a", "b"]);
  await end("b");
  expect(log).toEqual(["a", "b", "c"]);
});

test("a key that failed waits, and being added does not shorten that; others go on", async () => {
  const { made, log, end } = queue(1);
  made.open();
  made.add("a");
  await end("a", 60_000);
  made.add("a");
  made.add("b");
  expect(log).toEqual(["a", "b"]);
  await end("b", 1);
  await expect.poll(() => log).toEqual(["a", "b", "b"]);
  await Promise.all([made.close(), end("b")]);
});

test("a closed queue forgets what waits, and its end is that of the work under way", async () => {
  const { made, log, end } = queue(1);
  made.add("early");
  made.open();
  made.add("a");
  made.add("b");
  let isClosed = false;
  const closing = made.close().then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([log, isClosed]).toEqual([["a"], false]);
  await end("a");
  await closing;
  expect([log, made.size]).toEqual([["a"], 0]);
});
