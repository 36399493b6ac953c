import { expect, test } from "vitest";
import type { Option } from "./option.ts";
import { splitCommand } from "./split-command.ts";

const known: readonly Option[] = [
  { name: "filename", short: "f", value: "FILE", help: "" },
  { name: "all-namespaces", short: "A", help: "" },
];

for (const [line, expected] of [
  ["get policies", { found: "command", name: "get", rest: ["policies"] }],
  ["-f x get policies", { found: "command", name: "get", rest: ["-f", "x", "policies"] }],
  ["-fx get", { found: "command", name: "get", rest: ["-fx"] }],
  ["-f=x get", { found: "command", name: "get", rest: ["-f=x"] }],
  ["--filename x get", { found: "command", name: "get", rest: ["--filename", "x"] }],
  ["--filename=x get", { found: "command", name: "get", rest: ["--filename=x"] }],
  ["-f - get", { found: "command", name: "get", rest: ["-f", "-"] }],
  ["-Af x get -A", { found: "command", name: "get", rest: ["-Af", "x", "-A"] }],
  ["-A=true get", { found: "command", name: "get", rest: ["-A=true"] }],
  ["-A get", { found: "command", name: "get", rest: ["-A"] }],
  ["-A", { found: "nothing" }],
  ["-f", { found: "nothing" }],
  ["-f x", { found: "nothing" }],
  ["", { found: "nothing" }],
  ["-- get", { found: "nothing" }],
  ["--severity error check", { found: "unknown option", word: "--severity" }],
  ["-Ax get", { found: "unknown option", word: "-Ax" }],
] as const) {
  test(line === "" ? "(nothing)" : line, () => {
    const words = line.split(" ").filter((word) => word !== "");
    expect(splitCommand(words, known)).toEqual(expected);
  });
}
