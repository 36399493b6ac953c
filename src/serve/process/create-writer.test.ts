import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createWriter } from "./create-writer.ts";

function fakeStream(failure?: string): { readonly stream: Writable; readonly written: string[] } {
  const written: string[] = [];
  const stream = new Writable({
    autoDestroy: false,
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk.toString());
      done(failure === undefined ? null : Object.assign(new Error(`${failure}: oh dear`), { code: failure }));
    },
  });
  return { stream, written };
}

/** What is written to one stream in two steps, and what is reported about it. */
async function write(failure?: string): Promise<{ readonly written: readonly string[]; readonly failures: string[] }> {
  const { stream, written } = fakeStream(failure);
  const failures: string[] = [];
  const writer = createWriter((_, error) => failures.push(error.message));
  for (const text of ["a", "b"]) {
    writer(stream, text);
    writer(stream, text);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { written, failures };
}

test("what comes together is written together", async () => {
  expect(await write()).toEqual({ written: ["aa", "bb"], failures: [] });
});

test("a closed pipe is no error, and nothing more is written", async () => {
  expect(await write("EPIPE")).toEqual({ written: ["aa"], failures: [] });
});

test("another failure is reported once, and nothing more is written", async () => {
  expect(await write("ENOSPC")).toEqual({ written: ["aa"], failures: ["ENOSPC: oh dear"] });
});
