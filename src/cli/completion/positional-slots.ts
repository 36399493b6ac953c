/** One kind of value that a positional argument may have. */
export type Slot =
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "target" | "policy" | "policy kind" | "object" | "method" | "setting" | "other" };

export interface PositionalSlots {
  /** The possible kinds of the next argument. Empty: the command takes no more arguments. */
  readonly next: readonly Slot[];
  /** The index of the first argument that names an object. */
  readonly targetsFrom: number | undefined;
}

/** A positional argument in a usage line. */
interface Positional {
  readonly slots: readonly Slot[];
  readonly repeats: boolean;
}

/** Parses the usage lines of a command, such as `policies [POLICY… | TARGET…] -f FILE` or `bash|zsh|fish`. */
export function positionalSlots(usage: readonly string[], args: readonly string[]): PositionalSlots {
  const next: Slot[] = [];
  let targetsFrom: number | undefined;
  const lines = usage.map(positionalsIn);
  // `policies` is the resource of `get policies`, and no kind.
  const isWord = (arg: string, index: number): boolean => lines.some((line) => wordsOf(line[index]).includes(arg));
  for (const positionals of lines) {
    if (!args.every((arg, index) => admits(positionals[index], arg, isWord(arg, index)))) continue;
    const last = positionals.at(-1);
    const positional = positionals[args.length] ?? (last?.repeats ? last : undefined);
    next.push(...(positional?.slots ?? []));
    const first = positionals.findIndex(({ slots }) =>
      slots.some(({ kind }) => kind === "target" || kind === "policy" || kind === "object"),
    );
    if (first !== -1) targetsFrom ??= first;
  }
  return { next, targetsFrom };
}

function admits(positional: Positional | undefined, arg: string, isWord: boolean): boolean {
  const words = wordsOf(positional);
  return words.includes(arg) || (words.length === 0 && !isWord);
}

const wordsOf = (positional: Positional | undefined): readonly string[] =>
  positional?.slots.flatMap((slot) => (slot.kind === "word" ? [slot.word] : [])) ?? [];

function positionalsIn(usage: string): readonly Positional[] {
  const positionals: Positional[] = [];
  for (const [token] of usage.matchAll(/\[[^\]]*\]\S*|\S+/g)) {
    if (/^\[?-/.test(token) || token === "[options]") break;
    const parts = token.replaceAll(/[[\]]/g, "").split("|");
    positionals.push({
      slots: parts.map((part) => slotOf(part.trim().replace("…", ""))),
      repeats: token.includes("…"),
    });
  }
  return positionals;
}

function slotOf(word: string): Slot {
  if (word === "TARGET") return { kind: "target" };
  if (word === "POLICY") return { kind: "policy" };
  if (word === "KIND/NAME") return { kind: "object" };
  if (word === "KIND") return { kind: "policy kind" };
  if (word === "METHOD") return { kind: "method" };
  if (word === "PATH=VALUE") return { kind: "setting" };
  return /^[a-z]/.test(word) ? { kind: "word", word } : { kind: "other" };
}
