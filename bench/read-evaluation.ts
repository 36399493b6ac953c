import type { PathNode } from "../src/core/effective/paths/path-node.ts";
import type { Delta } from "../src/core/effective/update/delta.ts";
import type { PolicyVerdict, Tally } from "../src/core/effective/verdicts/verdict.ts";
import type { Evaluation } from "../src/core/evaluate.ts";
import type { Source } from "../src/core/merge/provenance.ts";
import type { Json, JsonObject } from "../src/core/model/json.ts";
import { effectivePolicies, verdicts } from "../src/index.ts";

/** The number of paths, and a checksum over everything that was read. */
export interface Reading {
  readonly paths: number;
  readonly checksum: number;
}

/**
 * Reads the whole result: the target, nodes, spec and sources of every path, and every verdict, with every character of every
 * text. An object that the path before has too is recognised by identity and not read again.
 */
export function readEvaluation(evaluation: Evaluation): Reading {
  const reader = new PathReader();
  let digest = START;
  let paths = 0;
  for (const { target, path, spec, sources } of effectivePolicies(evaluation)) {
    paths++;
    digest = withNumber(digest, reader.readPath(target, path));
    digest = withNumber(digest, reader.readEffective(spec, sources));
  }
  for (const verdict of verdicts(evaluation)) digest = withVerdict(digest, verdict);
  return { paths, checksum: digest >>> 0 };
}

/** Reads a delta: every path and policy in it, before and after. */
export function readDelta({ effective, verdicts: changed }: Delta): {
  readonly changes: number;
  readonly checksum: number;
} {
  const reader = new PathReader();
  let digest = START;
  for (const { target, path, before, after } of effective) {
    digest = withNumber(digest, reader.readPath(target, path));
    if (before !== undefined) digest = withNumber(digest, reader.readEffective(before.spec, before.sources));
    if (after !== undefined) digest = withNumber(digest, reader.readEffective(after.spec, after.sources));
  }
  for (const { policy, policyKind, before, after } of changed) {
    if (before !== undefined) digest = withVerdict(digest, { policy, policyKind, verdict: before });
    if (after !== undefined) digest = withVerdict(digest, { policy, policyKind, verdict: after });
  }
  return { changes: effective.length + changed.length, checksum: digest >>> 0 };
}

/** Reads paths one after the other, and remembers the objects of the last one only. */
class PathReader {
  #target = "";
  #targetDigest = START;
  /** The nodes of the last path by index, with their digests. */
  readonly #nodes: PathNode[] = [];
  readonly #nodeDigests: number[] = [];
  /** The digests of their objects, without sections. */
  readonly #objectDigests: number[] = [];
  #spec: JsonObject | undefined;
  #specDigest = START;
  #sources: readonly Source[] | undefined;
  #sourcesDigest = START;

  readPath(target: string, path: readonly PathNode[]): number {
    if (target !== this.#target) {
      this.#target = target;
      this.#targetDigest = withText(START, target);
    }
    let digest = withNumber(this.#targetDigest, path.length);
    for (let i = 0; i < path.length; i++) {
      const node = path[i] as PathNode;
      if (node !== this.#nodes[i]) this.#readNode(i, node);
      digest = withNumber(digest, this.#nodeDigests[i] ?? 0);
    }
    return digest;
  }

  /** The texts of a node are compared with those of the last path, and digested if they differ. */
  #readNode(i: number, node: PathNode): void {
    const last = this.#nodes[i];
    if (last === undefined || !isSameObject(node, last)) this.#objectDigests[i] = digestOfObject(node);
    this.#nodes[i] = node;
    this.#nodeDigests[i] = withText(this.#objectDigests[i] ?? START, node.sectionName);
  }

  readEffective(spec: JsonObject, sources: readonly Source[]): number {
    if (spec !== this.#spec) {
      this.#spec = spec;
      this.#specDigest = withJson(START, spec);
    }
    if (sources !== this.#sources) {
      this.#sources = sources;
      this.#sourcesDigest = digestOfSources(sources);
    }
    return withNumber(this.#specDigest, this.#sourcesDigest);
  }
}

/** FNV-1a: the start value, and one step. */
const START = 0x811c9dc5 | 0;

const withNumber = (digest: number, value: number): number => Math.imul(digest ^ value, 0x01000193);

function withText(before: number, text: string | null | undefined): number {
  if (text === null || text === undefined) return withNumber(before, -1);
  let digest = withNumber(before, text.length);
  for (let i = 0; i < text.length; i++) digest = withNumber(digest, text.charCodeAt(i));
  return digest;
}

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

const digestOfObject = ({ group, kind, namespace, name }: PathNode): number =>
  withText(withText(withText(withText(START, group), kind), namespace), name);

const isSameObject = (a: PathNode, b: PathNode): boolean =>
  a.name === b.name && a.namespace === b.namespace && a.kind === b.kind && a.group === b.group;

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
  if (verdict.state !== "Accepted") return withText(withText(digest, verdict.reason), verdict.message);
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
