/** The size of a pattern so far, on one level of its groups: everything before the last atom, and that atom, which a repetition may multiply. */
interface Level {
  before: number;
  last: number;
}

/** A class that names Unicode ranges takes as long to compile as this many plain characters, and far longer if case is ignored. */
const WIDE_CLASS = 50;
const WIDE_CLASS_FOLDED = 1000;

/** A longer pattern is taken for the worst of its length: reading it may take quadratic time. */
const MAX_READ_LENGTH = 4096;

/**
 * About how many instructions a pattern compiles to, found without compiling it: `(x{30}y){30}` is short, and compiles
 * to a thousand. Never much too low for a valid pattern; too high does no harm but to turn down an odd one.
 */
export function weighPattern(pattern: string): number {
  if (pattern.length > MAX_READ_LENGTH) return 1000 * pattern.length;
  const wide = /\(\?[a-zA-Z]*i/.test(pattern) ? WIDE_CLASS_FOLDED : WIDE_CLASS;
  const levels: Level[] = [];
  let level: Level = { before: 2, last: 0 };
  const add = (weight: number): void => {
    level.before += level.last;
    level.last = weight;
  };
  for (const [token] of pattern.matchAll(tokens)) {
    const repetition = /^\{(\d+)(,?)(\d*)\}$/.exec(token);
    if (repetition !== null) {
      level.last = repeat(level.last, repetition);
    } else if (token === "(") {
      levels.push(level);
      level = { before: 2, last: 0 };
    } else if (token === ")") {
      const weight = level.before + level.last;
      level = levels.pop() ?? { before: weight, last: 0 };
      add(weight);
    } else if (token === "*" || token === "+" || token === "?") {
      level.last += 1;
    } else {
      add(weighAtom(token, wide));
    }
  }
  // Groups left open: the pattern is faulty, but weigh it whole all the same.
  return levels.reduce((sum, { before, last }) => sum + before + last, level.before + level.last);
}

/** Literal text, a class, an escape, a repetition, a group's ends, or any other character. In this order: what is inside the first three is not read. */
const tokens =
  /\\Q(?:[^\\]|\\(?!E))*(?:\\E)?|\[\^?\]?(?:\\[\s\S]|\[:[^\]]*:\]|[^\]\\])*\]?|\\[pP](?:\{[^}]*\}|[\s\S])?|\\x\{[^}]*\}|\\[\s\S]?|\{\d+,?\d*\}|[\s\S]/gu;

function weighAtom(token: string, wide: number): number {
  if (token.startsWith("\\Q")) return token.length;
  const isWide = /^\\[pP]|^\[.*(\\[pP]|\\x\{|\P{ASCII})/su.test(token);
  if (isWide) return wide * Math.max(1, Math.ceil(token.length / 8));
  return token.startsWith("[") ? 1 + token.length / 8 : 1;
}

function repeat(weight: number, [, least = "", comma, most = ""]: RegExpExecArray): number {
  const times = comma === "," && most === "" ? Number(least) + 1 : Math.max(Number(least), Number(most));
  // An optional part is one instruction more than the part itself.
  return (weight + 1) * Math.max(1, times);
}
