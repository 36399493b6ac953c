/** What may stand at one place of a command's arguments. */
export type Slot =
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "target" | "policy" | "method" | "other" };

export interface PositionalSlots {
  /** What may come next; nothing: the command takes no more. */
  readonly next: readonly Slot[];
  /** The first place that names an object. */
  readonly targetsFrom: number | undefined;
}

/** A place of the usage: what may stand there, and whether it may be repeated. */
interface Place {
  readonly slots: readonly Slot[];
  readonly repeats: boolean;
}

/** Read off the lines that help shows: `policies [POLICY… | TARGET…] -f FILE`, `bash|zsh|fish`. */
export function positionalSlots(usage: readonly string[], args: readonly string[]): PositionalSlots {
  const next: Slot[] = [];
  let targetsFrom: number | undefined;
  for (const places of usage.map(placesIn)) {
    if (!args.every((arg, index) => admits(places[index], arg))) continue;
    const last = places.at(-1);
    const place = places[args.length] ?? (last?.repeats ? last : undefined);
    next.push(...(place?.slots ?? []));
    const first = places.findIndex(({ slots }) => slots.some(({ kind }) => kind === "target" || kind === "policy"));
    if (first !== -1) targetsFrom ??= first;
  }
  return { next, targetsFrom };
}

function admits(place: Place | undefined, arg: string): boolean {
  const words = place?.slots.flatMap((slot) => (slot.kind === "word" ? [slot.word] : [])) ?? [];
  return words.length === 0 || words.includes(arg);
}

function placesIn(usage: string): readonly Place[] {
  const places: Place[] = [];
  for (const [token] of usage.matchAll(/\[[^\]]*\]\S*|\S+/g)) {
    if (/^\[?-/.test(token) || token === "[options]") break;
    const parts = token.replaceAll(/[[\]]/g, "").split("|");
    places.push({ slots: parts.map((part) => slotOf(part.trim().replace("…", ""))), repeats: token.includes("…") });
  }
  return places;
}

function slotOf(word: string): Slot {
  if (word === "TARGET") return { kind: "target" };
  if (word === "POLICY") return { kind: "policy" };
  if (word === "METHOD") return { kind: "method" };
  return /^[a-z]/.test(word) ? { kind: "word", word } : { kind: "other" };
}
