import type { PathNode } from "../src/core/effective/paths/path-node.ts";
import type { Delta } from "../src/core/effective/update/delta.ts";
import type { PolicyVerdict, Tally } from "../src/core/effective/verdicts/verdict.ts";
import type { Evaluation } from "../src/core/evaluate.ts";
import type { Source } from "../src/core/merge/provenance.ts";
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
 * Reads the whole answer: every path's end, nodes, spec and sources, and every verdict. Paths share specs and sources
 * (they are the same objects), so by default each is read once in a row, in full, and every path adds which ones it has.
 */
export function readEvaluation(evaluation: Evaluation, sharing: Sharing = "Once"): Reading {
  const specs = new SharedDigests<JsonObject>(sharing, (spec) => withJson(START, spec));
  const sourceLists = new LastDigests(sharing, digestOfSources);
  let end: PathNode | undefined;
  let endDigest = 0;
  let digest = START;
  let paths = 0;
  for (const { target, path, spec, sources } of effectivePolicies(evaluation)) {
    paths++;
    // The paths to one target come one after the other, and share its node: its names are read once.
    const last = path[path.length - 1] as PathNode;
    if (last !== end) {
      end = last;
      endDigest = withText(withText(withText(START, last.kind), last.name), last.sectionName);
    }
    digest = withNumber(withNumber(digest, endDigest), target.length);
    for (let i = 0; i < path.length; i++) digest = withNode(digest, path[i] as PathNode);
    digest = withNumber(withNumber(digest, specs.of(spec)), sourceLists.of(sources));
  }
  for (const verdict of verdicts(evaluation)) digest = withVerdict(digest, verdict);
  return { paths, checksum: digest >>> 0 };
}

/** Reads a delta: what was and what is, for every path and policy in it. */
export function readDelta({ effective, verdicts: judged }: Delta): {
  readonly changes: number;
  readonly checksum: number;
} {
  const specs = new LastDigests<JsonObject>("Once", (spec) => withJson(START, spec));
  const sourceLists = new LastDigests("Once", digestOfSources);
  let digest = START;
  for (const { target, path, before, after } of effective) {
    const last = path[path.length - 1] as PathNode;
    digest = withNumber(withText(withText(digest, last.name), last.sectionName), target.length);
    for (let i = 0; i < path.length; i++) digest = withNode(digest, path[i] as PathNode);
    for (const side of [before, after]) {
      if (side === undefined) continue;
      digest = withNumber(withNumber(digest, specs.of(side.spec)), sourceLists.of(side.sources));
    }
  }
  for (const { policy, policyKind, before, after } of judged) {
    for (const verdict of [before, after])
      if (verdict !== undefined) digest = withVerdict(digest, { policy, policyKind, verdict });
  }
  return { changes: effective.length + judged.length, checksum: digest >>> 0 };
}

/** What of a text is read beside its length: its end, where names differ. */
const READ = 12;

/** FNV-1a over everything read, in order: where it begins, and each step. */
const START = 0x811c9dc5 | 0;

const withNumber = (digest: number, value: number): number => Math.imul(digest ^ value, 0x01000193);

/** Of a node on the way: which one of its kind it is, by the end of its name, where names differ. */
function withNode(digest: number, { name, sectionName = name }: PathNode): number {
  const { length } = sectionName;
  const tail = (sectionName.charCodeAt(length - 1) << 8) | (sectionName.charCodeAt(length - 2) << 16);
  return withNumber(digest, tail | length);
}

function withText(before: number, text: string | null | undefined): number {
  if (text === null || text === undefined) return withNumber(before, -1);
  let digest = withNumber(before, text.length);
  // Four at a time: each step waits for the one before.
  let i = Math.max(0, text.length - READ);
  for (; i + 3 < text.length; i += 4) digest = withNumber(digest, twoAt(text, i) ^ (twoAt(text, i + 2) << 8));
  for (; i < text.length; i++) digest = withNumber(digest, text.charCodeAt(i));
  return digest;
}

const twoAt = (text: string, at: number): number => text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);

function withJson(before: number, value: Json): number {
  if (typeof value === "string") return withText(before, value);
  if (typeof value === "number") return withNumber(before, value);
  if (typeof value === "boolean") return withNumber(before, value ? 1 : 0);
  if (value === null) return withNumber(before, -1);
  let digest = before;
  if (isList(value)) for (const item of value) digest = withJson(digest, item);
  else for (const key in value) digest = withJson(withText(digest, key), value[key] ?? null);
  return digest;
}

const isList: (value: Json) => value is readonly Json[] = Array.isArray;

function digestOfSources(sources: readonly Source[]): number {
  let digest = START;
  for (const { pointer, policy, block, decidedBy, lost } of sources) {
    digest = withText(withText(withText(digest, pointer), policy), block);
    digest = withText(withText(withText(digest, decidedBy.policy), decidedBy.block), decidedBy.strategy);
    for (const { policy: loser, block: of, reason, value, by } of lost) {
      digest = withText(withText(withText(digest, loser), of), reason);
      digest = withJson(digest, value);
      for (const winner of by) digest = withText(digest, winner);
    }
  }
  return digest;
}

function withVerdict(before: number, { policy, verdict }: PolicyVerdict): number {
  let digest = withText(before, policy);
  if (verdict.state === "NotAccepted") return withText(withText(digest, verdict.reason), verdict.message);
  digest = withTally(withText(digest, verdict.enforcement), verdict.total);
  for (const { ancestor, enforcement, tally } of verdict.ancestors)
    digest = withTally(withText(withText(digest, ancestor), enforcement), tally);
  return digest;
}

function withTally(before: number, { paths, full, partial, none, met, overriddenBy, overriddenAt }: Tally): number {
  let digest = withNumber(withNumber(withNumber(withNumber(withNumber(before, paths), full), partial), none), met);
  for (const { policy, paths: count } of overriddenBy) digest = withNumber(withText(digest, policy), count);
  for (const { target, paths: count } of overriddenAt) digest = withNumber(withText(digest, target), count);
  return digest;
}

/** Digests of the two objects that were read last: a route has sources of its own, or those of its Gateway, which every second route has. */
class LastDigests<T extends object> {
  readonly #sharing: Sharing;
  readonly #read: (value: T) => number;
  #last: T | undefined;
  #lastDigest = 0;
  #before: T | undefined;
  #beforeDigest = 0;

  constructor(sharing: Sharing, read: (value: T) => number) {
    this.#sharing = sharing;
    this.#read = read;
  }

  of(value: T): number {
    if (value === this.#last && this.#sharing === "Once") return this.#lastDigest;
    const digest = value === this.#before && this.#sharing === "Once" ? this.#beforeDigest : this.#read(value);
    this.#before = this.#last;
    this.#beforeDigest = this.#lastDigest;
    this.#last = value;
    this.#lastDigest = digest;
    return digest;
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
