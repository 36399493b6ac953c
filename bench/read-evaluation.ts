import type { Delta } from "../src/core/effective/delta.ts";
import type { PathNode, Source } from "../src/core/effective/effective-policy.ts";
import type { PolicyVerdict, Tally } from "../src/core/effective/verdict.ts";
import type { Evaluation } from "../src/core/evaluate.ts";
import type { Json, JsonObject } from "../src/core/model/json.ts";
import { effectivePolicies, verdicts } from "../src/index.ts";

/** What was read, and a number that depends on all of it. */
export interface Reading {
  readonly paths: number;
  readonly checksum: number;
}

/** How to read what several paths share: again for each, or once, each path then adding which one it has. */
export type Sharing = "Again" | "Once";

/**
 * Reads the whole answer: every path's target, nodes, spec and sources, and every verdict. Paths share specs and sources
 * (they are the same objects), so by default each is read once, in full, and every path adds which ones it has.
 */
export function readEvaluation(evaluation: Evaluation, sharing: Sharing = "Once"): Reading {
  const digest = new Digest();
  const specs = new SharedDigests<JsonObject>(sharing, digestOfSpec);
  const sourceLists = new SharedDigests(sharing, digestOfSources);
  const targets = new LastText();
  let paths = 0;
  for (const { target, path, spec, sources } of effectivePolicies(evaluation)) {
    paths++;
    digest.addNumber(targets.digestOf(target));
    for (let i = 0; i < path.length; i++) digest.addNumber((path[i] as PathNode).name.length);
    digest.addNumber(specs.of(spec));
    digest.addNumber(sourceLists.of(sources));
  }
  for (const verdict of verdicts(evaluation)) addVerdict(digest, verdict);
  return { paths, checksum: digest.checksum };
}

/** Reads a delta: what was and what is, for every path and policy in it. */
export function readDelta({ effective, verdicts: judged }: Delta): {
  readonly changes: number;
  readonly checksum: number;
} {
  const digest = new Digest();
  const specs = new SharedDigests<JsonObject>("Once", digestOfSpec);
  const sourceLists = new SharedDigests("Once", digestOfSources);
  for (const { target, path, before, after } of effective) {
    digest.addText(target);
    for (const node of path) digest.addNumber(node.name.length);
    for (const side of [before, after]) {
      if (side === undefined) continue;
      digest.addNumber(specs.of(side.spec));
      digest.addNumber(sourceLists.of(side.sources));
    }
  }
  for (const { policy, policyKind, before, after } of judged) {
    for (const verdict of [before, after])
      if (verdict !== undefined) addVerdict(digest, { policy, policyKind, verdict });
  }
  return { changes: effective.length + judged.length, checksum: digest.checksum };
}

/** What of a text is read beside its length: its end, where names differ. */
const READ = 12;

/** FNV-1a over everything added, in order. */
class Digest {
  // A small integer from the beginning: a field that once held a larger number is slow ever after.
  #hash = 0x811c9dc5 | 0;

  get checksum(): number {
    return this.#hash >>> 0;
  }

  addNumber(value: number): void {
    this.#hash = Math.imul(this.#hash ^ value, 0x01000193);
  }

  addText(text: string | null | undefined): void {
    if (text === null || text === undefined) return this.addNumber(-1);
    let hash = Math.imul(this.#hash ^ text.length, 0x01000193);
    for (let i = Math.max(0, text.length - READ); i < text.length; i++) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    }
    this.#hash = hash;
  }

  addJson(value: Json): void {
    if (typeof value === "string") this.addText(value);
    else if (typeof value === "number") this.addNumber(value);
    else if (typeof value === "boolean") this.addNumber(value ? 1 : 0);
    else if (value === null) this.addNumber(-1);
    else if (isList(value)) for (const item of value) this.addJson(item);
    else
      for (const key in value) {
        this.addText(key);
        this.addJson(value[key] ?? null);
      }
  }
}

/** The paths to one target come one after the other, so its text is read once. */
class LastText {
  #last: string | undefined;
  #digest = 0;

  digestOf(text: string): number {
    if (text === this.#last) return this.#digest;
    const digest = new Digest();
    digest.addText(text);
    this.#last = text;
    this.#digest = digest.checksum | 0;
    return this.#digest;
  }
}

const isList: (value: Json) => value is readonly Json[] = Array.isArray;

function digestOfSpec(spec: JsonObject): number {
  const digest = new Digest();
  digest.addJson(spec);
  return digest.checksum | 0;
}

function digestOfSources(sources: readonly Source[]): number {
  const digest = new Digest();
  for (const { pointer, policy, block, decidedBy, lost } of sources) {
    digest.addText(pointer);
    digest.addText(policy);
    digest.addText(block);
    digest.addText(decidedBy.policy);
    digest.addText(decidedBy.block);
    digest.addText(decidedBy.strategy);
    for (const loss of lost) {
      digest.addText(loss.policy);
      digest.addText(loss.block);
      digest.addText(loss.reason);
      digest.addJson(loss.value);
      for (const winner of loss.by) digest.addText(winner);
    }
  }
  return digest.checksum | 0;
}

function addVerdict(digest: Digest, { policy, verdict }: PolicyVerdict): void {
  digest.addText(policy);
  if (verdict.state === "NotAccepted") {
    digest.addText(verdict.reason);
    digest.addText(verdict.message);
    return;
  }
  digest.addText(verdict.enforcement);
  addTally(digest, verdict.total);
  for (const { ancestor, enforcement, tally } of verdict.ancestors) {
    digest.addText(ancestor);
    digest.addText(enforcement);
    addTally(digest, tally);
  }
}

function addTally(digest: Digest, { paths, full, partial, none, met, beatenBy, beatenAt }: Tally): void {
  for (const count of [paths, full, partial, none, met]) digest.addNumber(count);
  for (const { policy, paths: count } of beatenBy) {
    digest.addText(policy);
    digest.addNumber(count);
  }
  for (const { target, paths: count } of beatenAt) {
    digest.addText(target);
    digest.addNumber(count);
  }
}

const MOST_REMEMBERED = 4096;

/** Digests of objects that were read, by the object itself; a bounded number of them, so that reading needs no memory. */
class SharedDigests<T extends object> {
  readonly #known: Map<T, number> = new Map();
  readonly #sharing: Sharing;
  readonly #read: (value: T) => number;
  #last: T | undefined;
  #lastDigest = 0;

  constructor(sharing: Sharing, read: (value: T) => number) {
    this.#sharing = sharing;
    this.#read = read;
  }

  of(value: T): number {
    if (this.#sharing === "Again") return this.#read(value);
    if (value !== this.#last) {
      this.#last = value;
      this.#lastDigest = this.#known.get(value) ?? this.#readAnew(value);
    }
    return this.#lastDigest;
  }

  #readAnew(value: T): number {
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    const digest = this.#read(value);
    this.#known.set(value, digest);
    return digest;
  }
}
