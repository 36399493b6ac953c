/** The program behind `npm run fuzz`: parses its arguments and sets the exit code. */
import { parseArgs } from "node:util";
import { createReaderComparer } from "../support/gateway/compare-readers.ts";
import { fuzzReaders } from "./fuzz-readers.ts";

const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } });

function readNumber(name: "seconds" | "seed", fallback: number): number {
  const number = Number(values[name] ?? fallback);
  if (!Number.isSafeInteger(number)) throw new Error(`--${name} must be an integer, not '${values[name] ?? ""}'`);
  return number;
}

const readers = createReaderComparer();
process.exitCode = await fuzzReaders({
  seconds: readNumber("seconds", 30),
  seed: readNumber("seed", Math.floor(Math.random() * 2 ** 31)),
  readers,
  print: (line) => console.log(line),
});
readers.close();
