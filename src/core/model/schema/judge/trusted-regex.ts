import type { MatchRegex } from "../../regex.ts";

/** Matches the patterns of built-in schemas, which are known to take linear time. Each is compiled once. */
export function createTrustedRegex(): MatchRegex {
  const known = new Map<string, RegExp>();
  return (pattern, text) => {
    let regex = known.get(pattern);
    if (regex === undefined) {
      regex = compile(pattern);
      known.set(pattern, regex);
    }
    return { state: "value", matches: regex.test(text) };
  };
}

/** JavaScript has no flag inside of a pattern: `^(?i)[a-z]+$`. */
function compile(pattern: string): RegExp {
  const plain = pattern.replace(/^(\^?)\(\?i\)/, "$1");
  return new RegExp(plain, plain === pattern ? "u" : "iu");
}
