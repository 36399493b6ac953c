/** The blocks of a policy: defaults, bare rules and overrides. */
import { BLOCK_SPELLINGS } from "../../block-names.ts";
import type { BaseStrategy, Granularity, MergedList, MergeRules, ReservedWords } from "../../definition.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "../../json.ts";
import { valueAtKeys } from "../../json-pointer.ts";
import type { KubeObject } from "../../kube-object.ts";
import { listsAsMaps } from "../../merged-lists.ts";
import type { Block, BlockName } from "../../policy.ts";
import { unitsOf } from "../../units.ts";
import { didYouMean } from "../../words/did-you-mean.ts";
import { entryName } from "../../words/entry-name.ts";
import { formatValue } from "../../words/format-value.ts";
import type { PolicyProblem, Report } from "./policy-problem.ts";
import type { PolicyReader } from "./policy-reader.ts";

/** A policy that sets more values is Invalid. The API server stores far less. */
const MAX_UNITS = 100_000;

/** The blocks of an earlier policy with an equal spec, or parsed ones. */
export function findBlocks(
  object: KubeObject,
  spec: JsonObject,
  reader: PolicyReader,
  problems: readonly PolicyProblem[],
  report: Report,
): readonly Block[] {
  const { blockCache } = reader;
  // The units of an accumulated policy begin with its name, so that no other policy has the same.
  if (reader.merge.accumulate !== undefined) return [accumulatedBlock(object, spec, reader)];
  if (reader.parts.length > 0) {
    const before = problems.length;
    // A word that selects no strategy is the same mistake in each part.
    const reportOnce: Report = (code, field, message) => {
      if (!problems.slice(before).some((problem) => problem.field === field)) report(code, field, message);
    };
    return partBlocks(object, spec, reader, reportOnce);
  }
  // The key of an item may have the name of its policy.
  const { lists } = reader.merge;
  if (lists !== undefined) return parseBlocks(withMergedLists(object, spec, lists, reader), reader, report);
  // `boundedSpec` read the spec before the defaults were filled in.
  const isShort = spec === ownValue(object.raw, "spec") ? blockCache.isShort : blockCache.read(spec, reader.targetKeys);
  const known = isShort ? blockCache.find() : undefined;
  if (known !== undefined) return known;
  const before = problems.length;
  const blocks = parseBlocks(spec, reader, report);
  if (isShort && problems.length === before) blockCache.keep(blocks);
  return blocks;
}

/**
 * Order of the blocks: defaults, bare rules, overrides
 *
 * A policy may have a `defaults` block, bare rules and an `overrides` block, which are merged in this order. Bare rules beside a
 * block are further defaults.
 * RFC 9, "Writing D/O-enabled Kuadrant Policies"
 */
function parseBlocks(spec: JsonObject, reader: PolicyReader, report: Report): readonly Block[] {
  const { merge } = reader;
  const read = merge.none
    ? [unmergedBlock(spec, reader)]
    : [
        parseNamedBlock("defaults", spec, reader, report),
        parseBlock("bare", spec, "spec", reader, report),
        parseNamedBlock("overrides", spec, reader, report),
      ];
  const blocks = read.filter((block): block is Block => block !== undefined && !isEmpty(block)).slice();
  checkSize(blocks, report);
  checkExclusive(blocks, merge, report);
  return blocks;
}

function checkSize(blocks: readonly Block[], report: Report): void {
  let units = 0;
  for (const block of blocks) units += block.units.length;
  if (units > MAX_UNITS) report("InvalidTooLarge", "spec", `spec is too large: it sets more than ${MAX_UNITS} values.`);
}

const isEmpty = ({ units, remove }: Block): boolean => units.length === 0 && remove.length === 0;

/**
 * One merge strategy in a policy
 *
 * A policy of a kind with `blocks: Exclusive` declares one merge strategy. A policy with more than one of defaults, bare rules
 * and overrides is Invalid.
 * GEP-713, "Combined merge strategies"
 */
function checkExclusive(blocks: readonly Block[], merge: MergeRules, report: Report): void {
  if (merge.blocks === "Exclusive" && blocks.length > 1) {
    const names = blocks.map((block) => (block.name === "bare" ? "rules outside both" : block.name)).join(" and ");
    const message = `spec has ${names}; a policy of this kind declares one merge strategy only. Keep one of them.`;
    report("InvalidBlock", "spec", message);
  }
}

/**
 * Accumulate: every policy takes effect
 *
 * The spec of each policy is one entry of the effective policy, below the name of the policy. So no two policies set the same value. A
 * policy that sets nothing is an entry, too: an authorization policy without rules may allow nothing.
 * GEP-713, "Combined merge strategies"
 */
function accumulatedBlock(object: KubeObject, spec: JsonObject, reader: PolicyReader): Block {
  const { definition, rules, asideInSpec } = reader;
  const proper = Object.fromEntries(Object.entries(spec).filter(([key]) => !asideInSpec.has(key)));
  const units = unitsOf({ [entryName(object, definition)]: proper }, rules);
  return { name: "bare", granularity: definition.merge.granularity.default, remove: NOTHING, units };
}

/**
 * Parts have blocks of their own
 *
 * The settings of a part with merge rules of its own are merged with those of the same part only, so they are a block of their own. Where all
 * policies take effect in a part, its settings are below the name of the policy. Other settings are in the first block.
 * GEP-713, "Combined merge strategies"
 */
function partBlocks(object: KubeObject, spec: JsonObject, reader: PolicyReader, report: Report): readonly Block[] {
  const { parts, merge, definition } = reader;
  const inParts = parts.flatMap(({ keys }) => keys);
  const rest = inParts
    .filter((keys) => valueAtKeys(spec, keys) !== undefined)
    .reduce((left, keys) => withoutKeys(left, keys), spec);
  const listed = merge.lists === undefined ? rest : withMergedLists(object, rest, merge.lists, reader);
  const blocks = [
    parseBlock("bare", listed, "spec", reader, report),
    ...parts.map((part): Block => {
      const own = part.keys.reduce((all, keys) => withValueAt(all, keys, valueAtKeys(spec, keys)), NO_SETTINGS);
      const entry = entryName(object, definition);
      const lists = listsWith(spec, part.merge.lists ?? [], part.merge);
      const written = part.merge.accumulate === undefined ? listsAsMaps(own, lists, entry) : { [entry]: own };
      const units = Object.keys(own).length === 0 ? [] : unitsOf(written, part.rules);
      return { name: "bare", part: part.name, ...strategyIn(spec, part.merge, report), remove: NOTHING, units };
    }),
  ];
  const read = blocks.filter((block) => !isEmpty(block));
  checkSize(read, report);
  return read;
}

const NO_SETTINGS: JsonObject = {};

/** The object with a value at these keys, too. Undefined: the object. */
function withValueAt(object: JsonObject, [key, ...rest]: readonly string[], value: Json | undefined): JsonObject {
  if (key === undefined || value === undefined) return object;
  const inner = ownValue(object, key);
  const copy: { [key: string]: Json } = { ...object };
  setOwn(copy, key, rest.length === 0 ? value : withValueAt(isJsonObject(inner) ? inner : {}, rest, value));
  return copy;
}

/** The strategy that its field selects in a part. */
function strategyIn(spec: JsonObject, merge: MergeRules, report: Report): Pick<Block, "granularity" | "base"> {
  const { granularity } = merge;
  const hasField = merge.accumulate === undefined && Object.keys(granularity.values).length > 0;
  const word = hasField ? (valueAtKeys(spec, granularity.field.split(".")) ?? null) : null;
  const base = baseOf(merge, word);
  const compared =
    word === null ? granularity.default : parseGranularity(word, "spec", merge, granularity.default, report);
  return { granularity: compared, ...(base && { base }) };
}

/** The spec with maps instead of lists that are merged, in each block and outside of blocks. */
function withMergedLists(
  object: KubeObject,
  spec: JsonObject,
  lists: readonly MergedList[],
  { definition, merge, words }: PolicyReader,
): JsonObject {
  const entry = entryName(object, definition);
  const merged: { [key: string]: Json } = { ...listsAsMaps(spec, listsWith(spec, lists, merge), entry) };
  for (const word of [...words.defaults, ...words.overrides]) {
    const block = ownValue(spec, word);
    if (isJsonObject(block)) merged[word] = listsAsMaps(block, listsWith(block, lists, merge), entry);
  }
  return merged;
}

/** The lists that are merged in a policy or block with this word in the field that selects a strategy. */
function listsWith(
  block: JsonObject,
  lists: readonly MergedList[],
  { granularity }: MergeRules,
): readonly MergedList[] {
  if (lists.every(({ except }) => except === undefined)) return lists;
  const word = valueAtKeys(block, granularity.field.split("."));
  return lists.filter(({ except = [] }) => typeof word !== "string" || !except.includes(word));
}

const unmergedBlock = (spec: JsonObject, { merge, rules, asideInSpec }: PolicyReader): Block => ({
  name: "bare",
  granularity: merge.granularity.default,
  remove: NOTHING,
  units: unitsOf(spec, rules, asideInSpec),
});

function parseNamedBlock(
  name: "defaults" | "overrides",
  spec: JsonObject,
  reader: PolicyReader,
  report: Report,
): Block | undefined {
  let spelling: string | undefined;
  let other: string | undefined;
  for (const word of reader.words[name]) {
    if ((ownValue(spec, word) ?? null) === null) continue;
    if (spelling === undefined) spelling = word;
    else other = word;
  }
  if (spelling === undefined) return undefined;
  if (other !== undefined) {
    const message = `spec has both ${spelling} and ${other}, two spellings of one block. Keep one of them.`;
    report("InvalidBlock", `spec.${other}`, message);
    return undefined;
  }
  const value = ownValue(spec, spelling);
  if (!isJsonObject(value)) {
    report("InvalidBlock", `spec.${spelling}`, `spec.${spelling} is ${formatValue(value)}; allowed: an object`);
    return undefined;
  }
  return parseBlock(name, value, `spec.${spelling}`, reader, report);
}

/** Parses a block or the bare rules. Bare rules have no condition. */
function parseBlock(name: BlockName, value: JsonObject, field: string, reader: PolicyReader, report: Report): Block {
  const isNamed = name !== "bare";
  const { merge, rules, strategyKeys, words } = reader;
  const when = isNamed ? parseWhen(value, field, reader, report) : undefined;
  const byDefault = granularityOf(merge, field);
  const word = strategyKeys.length === 0 ? null : (valueAtKeys(value, strategyKeys) ?? null);
  const granularity = word === null ? byDefault : parseGranularity(word, field, merge, byDefault, report);
  const remove = parseRemovals(value, field, words, report);
  const proper = strategyKeys.length < 2 || word === null ? value : withoutKeys(value, strategyKeys);
  const units = unitsOf(proper, rules, isNamed ? reader.asideInBlock : reader.asideInSpec);
  const base = isNamed ? undefined : baseOf(merge, word);
  if (when === undefined && base === undefined) return { name, granularity, remove, units };
  return { name, granularity, ...(base && { base }), ...(when !== undefined && { when }), remove, units };
}

/** `word`: what the policy has in the field that gives the base strategy. */
const baseOf = ({ granularity: { base, bases = {} } }: MergeRules, word: Json): BaseStrategy | undefined =>
  typeof word === "string" && Object.hasOwn(bases, word) ? bases[word] : base;

/** The object without the value at these keys, and without objects that are empty then. */
function withoutKeys(value: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  const inner = key === undefined ? undefined : ownValue(value, key);
  if (key === undefined || inner === undefined) return value;
  const left = rest.length > 0 && isJsonObject(inner) ? withoutKeys(inner, rest) : {};
  const { [key]: _, ...others } = value;
  return Object.keys(left).length === 0 ? others : { ...others, [key]: left };
}

/** The granularity of a block that selects none. */
const granularityOf = ({ granularity }: MergeRules, field: string): Granularity =>
  REFERENCE_BLOCKS.includes(field) ? (granularity.ofReferenceBlocks ?? granularity.default) : granularity.default;

const REFERENCE_BLOCKS = [BLOCK_SPELLINGS.defaults, BLOCK_SPELLINGS.overrides].map(([, second]) => `spec.${second}`);

function parseGranularity(
  word: Json,
  field: string,
  { granularity }: MergeRules,
  byDefault: Granularity,
  report: Report,
): Granularity {
  const chosen =
    typeof word === "string" && Object.hasOwn(granularity.values, word) ? granularity.values[word] : undefined;
  if (chosen !== undefined) return chosen;
  const allowed = Object.keys(granularity.values);
  const hint = typeof word === "string" ? didYouMean(word, allowed) : "";
  const where = `${field}.${granularity.field}`;
  report("InvalidStrategy", where, `${where} is ${formatValue(word)}; allowed: ${allowed.join(", ")}${hint}`);
  return byDefault;
}

/**
 * A condition is a CEL expression
 *
 * A policy whose `when` is not CEL is Invalid. A condition that fails only on some values fails closed where it does.
 * RFC 9, "Merging a generic block of policy rules (defaults or overrides) into a policy with conditions"
 */
function parseWhen(
  object: JsonObject,
  block: string,
  { problemOf, words }: PolicyReader,
  report: Report,
): string | undefined {
  const key = words.when.find((word) => (ownValue(object, word) ?? null) !== null);
  if (key === undefined) return undefined;
  const value = ownValue(object, key);
  const field = `${block}.${key}`;
  if (typeof value === "string") {
    const problem = problemOf?.(value);
    if (problem !== undefined)
      report("InvalidBlock", field, `${field} is ${formatValue(value)}; allowed: a CEL expression (${problem})`);
    return value;
  }
  report("InvalidBlock", field, `${field} is ${formatValue(value)}; allowed: a CEL expression as a string`);
  return undefined;
}

const NOTHING: readonly never[] = [];

function parseRemovals(block: JsonObject, field: string, words: ReservedWords, report: Report): readonly string[] {
  let removals: readonly string[] = NOTHING;
  for (const key of words.remove) {
    const value = ownValue(block, key) ?? null;
    if (value === null) continue;
    const names = isJsonList(value) ? value.filter((item) => typeof item === "string" && item !== "") : [];
    if (isJsonList(value) && names.length === value.length) {
      removals = [...removals, ...(names as readonly string[])];
      continue;
    }
    const what = isJsonList(value) ? "a list with other things than names" : formatValue(value);
    report(
      "InvalidBlock",
      `${field}.${key}`,
      `${field}.${key} is ${what}; allowed: a list of rule names or dotted paths`,
    );
  }
  return removals;
}
