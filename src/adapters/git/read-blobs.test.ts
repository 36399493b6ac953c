import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readBlobs } from "./read-blobs.ts";

/** A process that responds as `git cat-file --batch` does, in chunks of a size. */
function fakeBatch(objects: Readonly<Record<string, string>>, chunkBytes: number) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let end = (): void => undefined;
  stdin.on("data", (asked: Buffer) => {
    for (const name of asked.toString().split("\n").filter(Boolean)) {
      const content = objects[name];
      const response = Buffer.from(
        content === undefined ? `${name} missing\n` : `${name} blob ${Buffer.byteLength(content)}\n${content}\n`,
      );
      for (let at = 0; at < response.length; at += chunkBytes) stdout.write(response.subarray(at, at + chunkBytes));
    }
  });
  const reader = readBlobs({
    stdin,
    stdout,
    once: (event, listener) => {
      if (event === "close") end = () => listener(0);
    },
    kill: () => undefined,
  });
  return { reader, end: () => end() };
}

const objects = { a: "apple\n", b: "", c: "x blob 3\nmissing\n", d: "ü".repeat(3000) };

for (const chunkBytes of [1, 2, 7, 64, 100_000]) {
  test(`responses in chunks of ${chunkBytes} bytes`, async () => {
    const { reader } = fakeBatch(objects, chunkBytes);
    const texts = await Promise.all(
      ["a", "b", "c", "d", "a"].map(async (name) => Buffer.from(await reader.read(name)).toString()),
    );
    expect(texts).toEqual([objects.a, objects.b, objects.c, objects.d, objects.a]);
  });
}

test("an object that the repository does not have is an error, and the next one is read", async () => {
  const { reader } = fakeBatch(objects, 5);
  const [missing, known] = await Promise.allSettled([reader.read("nope"), reader.read("a")]);
  expect(missing).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("nope missing") } });
  expect(known.status).toBe("fulfilled");
});

test("if git ends, those who wait and those who come later get an error", async () => {
  const { reader, end } = fakeBatch({}, 1);
  const waiting = reader.read("x");
  end();
  await expect(waiting).rejects.toThrow();
  await expect(reader.read("y")).rejects.toThrow("git ended");
});
