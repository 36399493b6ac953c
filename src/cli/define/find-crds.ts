import type { World } from "../../core/effective/world/world.ts";
import { findTargetFields } from "../../core/model/define/find-targets.ts";
import { objectAt } from "../../core/model/json.ts";
import { CRD } from "../../core/model/kinds.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { labelsOf } from "../../core/model/kube-object.ts";
import { parseCrd } from "../../core/model/parse/definition/parse-crd.ts";
import { compareText } from "../../core/model/refs.ts";
import { POLICY_LABEL } from "../../core/model/schema/crd-schemas.ts";
import { text, texts } from "../../core/model/schema/read-fields.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";

export type FoundCrds =
  | { readonly ok: true; readonly crds: readonly KubeObject[] }
  | { readonly ok: false; readonly message: string; readonly hints: readonly string[] };

/** The CRDs that the words name: by the name of the CRD or of its kind. Without words, those of policies. */
export function findCrds(world: World, words: readonly string[], origin: string): FoundCrds {
  const all = world.objects.ofKind(CRD).toSorted((a, b) => compareText(a.ref.name, b.ref.name));
  if (all.length === 0) return { ok: false, message: `there is no CustomResourceDefinition in ${origin}`, hints: [] };
  if (words.length === 0) return policyCrds(all, origin);
  const found: KubeObject[] = [];
  for (const word of words) {
    const matching = all.filter((crd) => namesOf(crd).includes(word.toLowerCase()));
    const [first, ...others] = matching;
    if (first === undefined)
      return {
        ok: false,
        message: `no CustomResourceDefinition in ${origin} is named '${word}'${didYouMean(word, all.flatMap(namesOf))}`,
        hints: [`There are: ${listed(all)}`],
      };
    if (others.length > 0)
      return {
        ok: false,
        message: `'${word}' names ${matching.length} CRDs; use one of their names:`,
        hints: matching.map(({ ref }) => `  ${ref.name}`),
      };
    found.push(first);
  }
  return { ok: true, crds: found };
}

function policyCrds(all: readonly KubeObject[], origin: string): FoundCrds {
  const crds = all.length === 1 ? all : all.filter(isOfPolicies);
  if (crds.length > 0) return { ok: true, crds };
  return {
    ok: false,
    message: `none of the ${all.length} CustomResourceDefinitions in ${origin} has a field that names a target, or the label ${POLICY_LABEL}`,
    hints: [`There are: ${listed(all)}`],
  };
}

/** True if the CRD has the label of policies, or lists a field that names a target. */
function isOfPolicies(crd: KubeObject): boolean {
  if (Object.hasOwn(labelsOf(crd), POLICY_LABEL)) return true;
  const facts = parseCrd(crd);
  const targets = facts === undefined ? undefined : findTargetFields(facts.specSchema, facts.kind);
  return targets !== undefined && (targets.ref ?? targets.refs ?? targets.selectors) !== undefined;
}

/** `retrypolicies.prevail.dev`, `RetryPolicy`, `RetryPolicy.prevail.dev`, the plural and short names, in lower case. */
function namesOf({ ref, raw }: KubeObject): readonly string[] {
  const spec = objectAt(raw, "spec");
  const names = objectAt(spec, "names");
  const kind = text(names, "kind", "");
  return [
    ref.name,
    kind,
    `${kind}.${text(spec, "group", "")}`,
    text(names, "plural", ""),
    text(names, "singular", ""),
    ...texts(names, "shortNames"),
  ]
    .filter((name) => name !== "")
    .map((name) => name.toLowerCase());
}

const MOST_NAMES = 20;

function listed(all: readonly KubeObject[]): string {
  const names = all.slice(0, MOST_NAMES).map(({ ref }) => ref.name);
  return `${names.join(", ")}${all.length > MOST_NAMES ? ` and ${all.length - MOST_NAMES} more` : ""}`;
}
