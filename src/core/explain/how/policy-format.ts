/** How policies of a kind are written: their version, their schema, their blocks and the fields of their targets. */
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import { hasNoBlocks, wordsOf } from "../../model/block-names.ts";
import type { Granularity, PolicyKind } from "../../model/definition.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../model/json.ts";
import { CRD } from "../../model/kinds.ts";
import { objectFamily } from "../../model/kube-object.ts";
import { parseCrd } from "../../model/parse/definition/parse-crd.ts";
import type { BlockName } from "../../model/policy.ts";
import { kindId } from "../../model/refs.ts";
import { policySchemaOf } from "../../model/schema/built-in-schema.ts";
import { gatewayApiKinds } from "../../model/schema/gateway-api-schemas.ts";
import { retryPolicySchemas, retryPolicyVersion } from "../../model/schema/policy-schemas.ts";
import type { CompiledSchema } from "../../model/schema/schema.ts";
import { findField } from "./find-field.ts";

/** How policies of one of the joined kinds of a definition are written. */
export interface PolicyFormat {
  readonly own: PolicyKind;
  readonly apiVersion: string;
  /** The schema of `spec`. Undefined: not known. */
  readonly spec: CompiledSchema | undefined;
  /** False: the schema lists the settings only, and not targets, conditions and removals. */
  readonly isWhole: boolean;
  /** In the order in which they are examined: defaults first. */
  readonly blocks: readonly BlockFormat[];
}

/** A block that policies of the kind may have. */
export interface BlockFormat {
  readonly name: BlockName;
  /** Where it is in the policy: `["spec", "defaults"]`. */
  readonly keys: readonly string[];
  /** The schema of the block. */
  readonly schema: CompiledSchema | undefined;
  /** The words that a policy can name its strategy by, the finest first; undefined: no word. */
  readonly strategies: readonly (string | undefined)[];
}

/** Undefined if no policy and no CRD of the kind is in the input: then its version is not known. */
export function policyFormat(world: World, kind: CompiledKind, own: PolicyKind): PolicyFormat | undefined {
  const apiVersion = findVersion(world, own);
  if (apiVersion === undefined) return undefined;
  const family = objectFamily(apiVersion, own.kind, "");
  const ofCrd = world.judging.schemas.ofCrd(family)?.first.compiled;
  const spec = ofCrd === undefined ? policySchemaOf(family)?.first.compiled : specOf(ofCrd);
  const isWhole = ofCrd !== undefined || !retryPolicySchemas.some((row) => kindId(row) === kindId(own));
  return { own, apiVersion, spec, isWhole, blocks: blocksOf(world, kind, own, spec, isWhole) };
}

const specOf = ({ properties }: CompiledSchema): CompiledSchema | undefined =>
  properties.find(({ key }) => key === "spec")?.schema;

function findVersion({ objects }: World, own: PolicyKind): string | undefined {
  const [policy] = objects.ofKind(kindId(own));
  if (policy !== undefined) return policy.apiVersion;
  const crds = objects.ofKind(CRD).map((crd) => parseCrd(crd));
  const version =
    crds.find((crd) => crd !== undefined && kindId(crd) === kindId(own))?.version ??
    gatewayApiKinds().find((known) => kindId(known) === kindId(own))?.storageVersion ??
    (retryPolicySchemas.some((row) => kindId(row) === kindId(own)) ? retryPolicyVersion : undefined);
  return version === undefined ? undefined : `${own.group}/${version}`;
}

function blocksOf(
  world: World,
  { definition: { merge } }: CompiledKind,
  own: PolicyKind,
  spec: CompiledSchema | undefined,
  isWhole: boolean,
): readonly BlockFormat[] {
  const bare: BlockFormat = { name: "bare", keys: ["spec"], schema: spec, strategies: [undefined] };
  if (hasNoBlocks(merge)) return [bare];
  const words = strategyWords(merge.granularity.values, merge.granularity.default);
  const named = (["defaults", "overrides"] as const).flatMap((name): readonly BlockFormat[] => {
    const spelling = spellingOf(world, own, wordsOf(merge)[name], spec);
    if (spelling === undefined) return [];
    const found = findField(spec, [spelling]);
    const schema = found.state === "Known" ? found.schema : undefined;
    const isListed = findField(schema, merge.granularity.field.split(".")).state !== "Unknown" || !isWhole;
    return [{ name, keys: ["spec", spelling], schema, strategies: isListed ? words : [undefined] }];
  });
  // Bare settings are defaults, so a kind with a block for defaults does not need them, unless they count as Direct.
  if (merge.bare === "Direct") return [...named, bare];
  return named.some(({ name }) => name === "defaults") ? named : [bare, ...named];
}

/** The spelling that the schema has, else the one that policies of the kind use. Undefined: there is no such block. */
function spellingOf(
  { objects }: World,
  own: PolicyKind,
  spellings: readonly string[],
  spec: CompiledSchema | undefined,
): string | undefined {
  const [plural, singular] = spellings;
  if (plural === undefined) return undefined;
  const listed = spellings.find((spelling) => findField(spec, [spelling]).state === "Known");
  if (listed !== undefined) return listed;
  if (findField(spec, [plural]).state === "Unknown") return undefined;
  if (singular === undefined) return plural;
  const isSingular = objects.ofKind(kindId(own)).some(({ raw }) => isJsonObject(ownValue(specIn(raw), singular)));
  return isSingular ? singular : plural;
}

export const specIn = (raw: JsonObject): JsonObject => {
  const spec = ownValue(raw, "spec");
  return isJsonObject(spec) ? spec : {};
};

const FINEST_FIRST: readonly Granularity[] = ["Field", "Patch", "Merge", "Atomic"];

/** The strategies that a block can name, the finest first. The one that counts without a word needs none. */
function strategyWords(
  values: Readonly<Record<string, Granularity>>,
  byDefault: Granularity,
): readonly (string | undefined)[] {
  const words = Object.keys(values).filter((word) => values[word] !== byDefault);
  const ordered: readonly (string | undefined)[] = [...words, undefined];
  const rank = (word: string | undefined): number => {
    const granularity = word === undefined ? byDefault : values[word];
    return FINEST_FIRST.findIndex((one) => one === granularity);
  };
  return ordered.filter((word) => rank(word) !== -1 || word === undefined).sort((a, b) => rank(a) - rank(b));
}

/** The granularity of a block that names this strategy. */
export const granularityOf = ({ definition }: CompiledKind, word: string | undefined): Granularity | undefined =>
  word === undefined ? definition.merge.granularity.default : definition.merge.granularity.values[word];
