/** Caveats about policies that are ignored, and about what policy kinds mean: definitions with errors, kinds without a definition, inferred definitions. */
import {
  type BrokenDefinition,
  type BrokenEffect,
  brokenDefinitions,
  looksLikePolicy,
  unknownPolicyKinds,
} from "../effective/findings/ignored-policies.ts";
import type { KindNames } from "../effective/findings/kind-names.ts";
import type { PolicyRecord, World } from "../effective/world/world.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { isByPlaceholders } from "../model/placeholder.ts";
import { formatRef, type GroupKind, kindId, type ObjectId, type PolicyId, parseObjectId } from "../model/refs.ts";
import { capital } from "../model/words/capital.ts";
import { countKinds, endSentence, joinWords } from "../model/words/count-kinds.ts";
import type { Caveat, CountedPolicies } from "./caveat.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";
import { touchesPolicy } from "./touched-objects.ts";

/**
 * A PolicyDefinition with an error is not used, so the policies of its kinds are ignored. It always touches a question about the input;
 * a question about objects only if it takes a policy with it that may be about them.
 */
export function brokenDefinitionCaveats(context: CaveatContext): readonly Caveat[] {
  const { names } = context;
  return brokenDefinitions(context.world)
    .filter((broken) => touchesDefinition(context, broken))
    .map(({ object, errors: [first, ...others], kinds }) => {
      const effects = EFFECTS.flatMap(({ effect, words }) => {
        const counts = countsOf(kinds.filter((kind) => kind.effect === effect));
        return counts.length === 0
          ? []
          : [{ counts, text: `${countKinds(counts, names.kindName)} ${areWord(counts)} ${words}` }];
      });
      const more =
        others.length === 0 ? "" : ` (and ${others.length} more ${others.length === 1 ? "error" : "errors"})`;
      const effect = effects.length === 0 ? "the definition is not used" : joinWords(effects.map(({ text }) => text));
      return caveat("BrokenDefinition", {
        message: `${nameBefore(first.message, formatRef(parseObjectId(object)))}${endSentence(`${first.message}${more}`)} ${capital(effect)} until this is fixed`,
        summary: effects.length === 0 ? `the definition of ${kindNames(kinds, names)} has an error` : effect,
        objects: [first].map(({ field, source }) => ({
          object,
          ...(field === undefined ? {} : { field }),
          ...(source === undefined ? {} : { source }),
        })),
        policies: effects.flatMap(({ counts }) => counts),
      });
    });
}

/** Most messages about refused objects begin with the name of the object. */
const nameBefore = (message: string, name: string): string => (message.startsWith(`${name}: `) ? "" : `${name}: `);

/** In the order in which a message has them. */
const EFFECTS: readonly { readonly effect: BrokenEffect; readonly words: string }[] = [
  { effect: "Ignored", words: "ignored" },
  { effect: "ReadByAnotherDefinition", words: "read by another definition" },
  { effect: "NotChecked", words: "not checked against its schema" },
];

const kindNames = (kinds: readonly GroupKind[], { kindName }: KindNames): string =>
  kinds.length === 0 ? "a policy kind" : joinWords(kinds.map(kindName));

function touchesDefinition(context: CaveatContext, { kinds }: BrokenDefinition): boolean {
  const { world, scope } = context;
  switch (scope.about) {
    case "Input":
      return true;
    case "Objects":
      // A definition whose kinds cannot be read may be about any policy.
      return kinds.length === 0 || kinds.some(({ policies }) => policies.some((one) => touchesObject(context, one)));
    case "Policies": {
      const own = kindsOfPolicies(world, scope.policies);
      return kinds.length === 0 || kinds.some((kind) => own.has(kindId(kind)));
    }
  }
}

/** An object of a kind that is no policy kind touches a question about it, or about what is above or below it. */
function touchesObject(context: CaveatContext, object: KubeObject): boolean {
  if (looksLikePolicy(object) || context.world.policies.has(object.id as PolicyId))
    return touchesPolicy(context, object);
  const objects = context.related();
  return objects === undefined || objects.above.has(object.id) || objects.below.has(object.id);
}

/** The kinds of the policies, and the kinds that share a definition with them. */
export function kindsOfPolicies(world: World, policies: readonly ObjectId[]): ReadonlySet<string> {
  const own = policies.map((id) => kindId(parseObjectId(id)));
  const joined = own.flatMap((kind) => world.rulebook.byPolicyKind.get(kind)?.definition.policies ?? []);
  return new Set([...own, ...joined.map((kind) => kindId(kind))]);
}

/** Policies of a kind that no definition describes. */
export function unknownKindCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope, names } = context;
  const own = scope.about === "Policies" ? kindsOfPolicies(world, scope.policies) : undefined;
  return unknownPolicyKinds(world).flatMap(({ group, kind, policies, hasCrd }) => {
    const isTouched =
      own === undefined ? policies.some((policy) => touchesPolicy(context, policy)) : own.has(kindId({ group, kind }));
    if (!isTouched) return [];
    const counts = [{ group, kind, count: policies.length }];
    const summary = `${countKinds(counts, names.kindName)} ${areWord(counts)} ignored`;
    return [
      caveat("UnknownPolicyKind", {
        message: `${summary}: no PolicyDefinition describes ${kind} (${group})`,
        summary,
        objects: policies.map((policy) => located(policy)),
        policies: counts,
        ...(hasCrd
          ? {
              fix: "Add a PolicyDefinition, or give its CRD the label gateway.networking.k8s.io/policy (Direct or Inherited).",
            }
          : {}),
      }),
    ];
  });
}

/** Policies with an error: they are ignored. A question about such a policy itself has the error in its answer. */
export function invalidPolicyCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope } = context;
  const asked = scope.about === "Policies" ? scope.policies : [];
  const own = scope.about === "Policies" ? kindsOfPolicies(world, asked) : undefined;
  const invalid: PolicyRecord[] = [];
  world.policies.forEach((record, id) => {
    // Placeholders are another caveat.
    if (record.policy !== undefined || asked.includes(id) || isByPlaceholders(record.findings)) return;
    const isOfKind = own === undefined || own.has(record.object.family.kindId);
    if (isOfKind && touchesPolicy(context, record.object)) invalid.push(record);
  });
  const [first] = invalid;
  if (first === undefined) return [];
  const isOne = invalid.length === 1;
  const summary = isOne ? "1 policy is invalid" : `${invalid.length} policies are invalid`;
  const names = listNames(invalid.map(({ object }) => formatRef(object.ref)));
  return [
    caveat("InvalidPolicy", {
      message: `${summary}, and ${isOne ? "is" : "are"} ignored until this is fixed: ${names}`,
      summary,
      objects: invalid.map(({ object, findings }) => {
        return located(object, findings.find(({ severity }) => severity === "error")?.field);
      }),
    }),
  ];
}

/** Kinds whose definition is inferred from the label of their CRD, if an answer rests on one. */
export function inferredCaveats(context: CaveatContext): readonly Caveat[] {
  const { world, scope, names } = context;
  const own = scope.about === "Policies" ? kindsOfPolicies(world, scope.policies) : undefined;
  const byKind = new Map<number, KubeObject[]>();
  world.policies.forEach(({ kind, object }) => {
    if (!kind.definition.inferred) return;
    const isTouched = own === undefined ? touchesPolicy(context, object) : own.has(object.family.kindId);
    if (isTouched) byKind.set(kind.index, [...(byKind.get(kind.index) ?? []), object]);
  });
  return world.rulebook.kinds.flatMap(({ index, policyKind }) => {
    const policies = byKind.get(index);
    if (policies === undefined) return [];
    const counts = [{ ...policyKind, count: policies.length }];
    const summary = `the definition of ${policyKind.kind} is inferred`;
    return [
      caveat("InferredDefinition", {
        message: `${summary} from the label and the schema of its CRD, and ${countKinds(counts, names.kindName)} ${restWord(counts)} on it`,
        summary,
        objects: policies.map((policy) => located(policy)),
        policies: counts,
      }),
    ];
  });
}

const countsOf = (
  kinds: ReadonlyArray<GroupKind & { readonly policies: readonly KubeObject[] }>,
): readonly CountedPolicies[] =>
  kinds
    .filter(({ policies }) => policies.length > 0)
    .map(({ group, kind, policies }) => ({ group, kind, count: policies.length }));

const totalOf = (counts: readonly CountedPolicies[]): number => counts.reduce((sum, { count }) => sum + count, 0);
const areWord = (counts: readonly CountedPolicies[]): string => (totalOf(counts) === 1 ? "is" : "are");
const restWord = (counts: readonly CountedPolicies[]): string => (totalOf(counts) === 1 ? "rests" : "rest");
