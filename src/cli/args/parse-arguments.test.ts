import { describe, expect, test } from "vitest";
import type { Option } from "./option.ts";
import { parseArguments } from "./parse-arguments.ts";

const options: readonly Option[] = [
  { name: "filename", short: "f", value: "FILE", repeatable: true, list: true, help: "" },
  { name: "output", short: "o", value: "json|yaml", choices: ["json", "yaml"], help: "" },
  { name: "namespace", short: "n", value: "NAMESPACE", help: "" },
  { name: "all-namespaces", short: "A", help: "" },
  { name: "fail-on", value: "WORD", choices: ["error", "caveat"], list: true, help: "" },
  { name: "recursive", short: "R", alwaysOn: "name the files", help: "" },
];

function parsed(...argv: readonly string[]) {
  const result = parseArguments(argv, options);
  if (!result.ok) return result.message;
  const given = options.flatMap(({ name }) => (result.options.has(name) ? [[name, result.options.values(name)]] : []));
  return { args: result.args, ...Object.fromEntries(given) };
}

describe("options are read as kubectl reads them", () => {
  for (const [argv, expected] of [
    [["a", "-o", "json", "b"], { args: ["a", "b"], output: ["json"] }],
    [["-ojson"], { args: [], output: ["json"] }],
    [["-o=json"], { args: [], output: ["json"] }],
    [["--output", "json"], { args: [], output: ["json"] }],
    [["--output=json"], { args: [], output: ["json"] }],
    [["-Ao", "json"], { args: [], output: ["json"], "all-namespaces": ["true"] }],
    [["-A", "--all-namespaces"], { args: [], "all-namespaces": ["true", "true"] }],
    [["--all-namespaces=false"], { args: [] }],
    [["-f", "-", "-f", "a", "-fb"], { args: [], filename: ["-", "a", "b"] }],
    [["-f", "a,b", "-f", "c"], { args: [], filename: ["a", "b", "c"] }],
    [["-f", 'a,"b,c",d'], { args: [], filename: ["a", "b,c", "d"] }],
    [["-f", '"say ""hi"", a"'], { args: [], filename: ['say "hi", a'] }],
    [["-f", 'a"b,c'], { args: [], filename: ['a"b', "c"] }],
    [["-f", "a,,b,"], { args: [], filename: ["a", "b"] }],
    [["-f", ""], { args: [], filename: [""] }],
    [["-n", "a,b"], { args: [], namespace: ["a,b"] }],
    [["--fail-on", "error,caveat"], { args: [], "fail-on": ["error", "caveat"] }],
    [["--fail-on=error", "--fail-on=caveat"], { args: [], "fail-on": ["error", "caveat"] }],
    [["-R"], { args: [], recursive: ["true"] }],
    [["-n=-A"], { args: [], namespace: ["-A"] }],
    [["--", "-n", "x"], { args: ["-n", "x"] }],
    [["-", "x"], { args: ["-", "x"] }],
    [["--namespace="], { args: [], namespace: [""] }],
    [["-n", "a", "-n", "a"], { args: [], namespace: ["a", "a"] }],
  ] as const) {
    test(argv.join(" "), () => expect(parsed(...argv)).toEqual(expected));
  }
});

describe("mistakes are reported", () => {
  for (const [argv, message] of [
    [["--outptu", "json"], "there is no option --outptu; did you mean --output?"],
    [["--zzz"], "there is no option --zzz"],
    [["-x"], "there is no option -x"],
    [["-Ax"], "there is no option -x (in '-Ax')"],
    [["-n"], "-n needs a value: -n NAMESPACE"],
    [["-n", "-o", "json"], "-n needs a value: -n NAMESPACE"],
    [["-n", "--output=json"], "-n needs a value: -n NAMESPACE"],
    [["-o", "jsn"], "-o is 'jsn'; it can be json, yaml; did you mean 'json'?"],
    [["--all-namespaces=maybe"], "--all-namespaces takes no value, but has 'maybe'"],
    [["-A=x"], "-A takes no value, but has 'x'"],
    [["-n", "a", "-n", "b"], "-n is given twice, with 'a' and 'b'; keep one"],
    [["--fail-on", "error,caveats"], "--fail-on is 'caveats'; it can be error, caveat; did you mean 'caveat'?"],
    [["-R=false"], "-R is always on: name the files"],
    [["--recursive=false"], "--recursive is always on: name the files"],
    [["--__proto__"], "there is no option --__proto__"],
  ] as const) {
    test(argv.join(" "), () => expect(parsed(...argv)).toBe(message));
  }
});
