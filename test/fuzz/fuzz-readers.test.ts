import { expect, test } from "vitest";
import { createReaderComparer } from "../support/gateway/compare-readers.ts";
import { fuzzReaders } from "./fuzz-readers.ts";

test("without a difference: progress, seed and exit code 0", async () => {
  const readers = createReaderComparer();
  const lines: string[] = [];
  const code = await fuzzReaders({ seconds: 1, seed: 7, readers, print: (line) => lines.push(line) });
  readers.close();
  expect(code).toBe(0);
  expect(lines[0]).toMatch(/^fuzz: HTTP\/1 reader against Node v\S+, 1 s, seed 7$/);
  expect(lines.at(-2)).toMatch(
    /^\d+ s: [1-9]\d* connections, [1-9]\d* requests accepted, [1-9]\d* connections refused$/,
  );
  expect(lines.at(-1)).toBe("fuzz: no difference");
});

test("with a difference: the shrunk input, both readings, the seed and exit code 1", async () => {
  const lines: string[] = [];
  const compare = async (text: string) => ({
    accepted: 0,
    isRefused: false,
    difference: text.includes("PUT") ? "gateway: a\nNode: b" : undefined,
  });
  const code = await fuzzReaders({ seconds: 60, seed: 1, readers: { compare }, print: (line) => lines.push(line) });
  expect(code).toBe(1);
  const input: unknown = JSON.parse(lines.at(-3) ?? "");
  expect(input).toMatch(/PUT \/ HTTP\/1\.1\r\nHost: a\.example\r\n/);
  expect(lines.at(-2)).toBe("gateway: a\nNode: b");
  expect(lines.at(-1)).toMatch(/^fuzz: repeat with npm run fuzz -- --seed \d+$/);
});
