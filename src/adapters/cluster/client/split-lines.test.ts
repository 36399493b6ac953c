import fc from "fast-check";
import { expect, test } from "vitest";
import { splitLines } from "./split-lines.ts";

async function linesOf(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const lines: string[] = [];
  async function* stream(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  for await (const line of splitLines(stream())) lines.push(line);
  return lines;
}

test("lines are the same wherever the bytes are split; half a line at the end is dropped", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme", minLength: 1 })),
      fc.string(),
      fc.array(fc.nat(40)),
      async (texts, rest, cuts) => {
        const whole = texts.map((text) => text.replaceAll("\n", "é") || "x");
        const bytes = Buffer.from(`${whole.map((text) => `${text}\n`).join("")}${rest.replaceAll("\n", "")}`);
        const chunks: Buffer[] = [];
        let from = 0;
        for (const cut of cuts) {
          chunks.push(bytes.subarray(from, from + cut));
          from += cut;
        }
        chunks.push(bytes.subarray(from));
        expect(await linesOf(chunks)).toEqual(whole);
      },
    ),
  );
});
