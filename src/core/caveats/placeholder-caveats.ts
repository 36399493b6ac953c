import type { KubeObject } from "../model/kube-object.ts";
import { findPlaceholder, isByPlaceholders, placeholderInName } from "../model/placeholder.ts";
import { compareText, formatRef, type ObjectId, type PolicyId } from "../model/refs.ts";
import type { Caveat } from "./caveat.ts";
import { type CaveatContext, caveat, listNames, located } from "./caveat-context.ts";
import { touchesAbsent } from "./touched-objects.ts";

interface WithPlaceholder {
  readonly object: KubeObject;
  readonly placeholder: string;
  readonly field?: string;
  /** False: it counts as it is written. */
  readonly isLeftOut: boolean;
}

/** Objects with placeholders, such as `${HOST}`, that a tool replaces before an API server sees them. */
export function placeholderCaveats(context: CaveatContext): readonly Caveat[] {
  const found = [...leftOut(context), ...counted(context)].sort((a, b) => compareText(a.object.id, b.object.id));
  const [first] = found;
  if (first === undefined) return [];
  const isOne = found.length === 1;
  const out = found.filter(({ isLeftOut }) => isLeftOut).length;
  const what = `${isOne ? "1 object has" : `${found.length} objects have`} placeholders that are not replaced`;
  const effect =
    out === 0
      ? `${isOne ? "It counts" : "They count"} as written`
      : `${out === found.length ? (isOne ? "It is" : "They are") : `${out} of them ${out === 1 ? "is" : "are"}`} left out, as the API server would refuse ${out === 1 ? "it" : "them"}`;
  return [
    caveat("UnreplacedPlaceholder", {
      message: `${what}, such as ${first.placeholder}: ${listNames(found.map(({ object }) => formatRef(object.ref)))}. ${effect}`,
      summary: what,
      objects: found.map(({ object, field }) => located(object, field)),
    }),
  ];
}

/** Refused objects and invalid policies, where placeholders are all that is wrong. */
function leftOut(context: CaveatContext): readonly WithPlaceholder[] {
  const { world } = context;
  const found: WithPlaceholder[] = [];
  const add = (object: KubeObject, findings: Parameters<typeof isByPlaceholders>[0]): void => {
    if (!isByPlaceholders(findings) || !touchesAbsent(context, object)) return;
    const field = findings[0]?.field;
    const placeholder = findPlaceholder(object.raw) ?? "a variable";
    found.push({ object, placeholder, isLeftOut: true, ...(field === undefined ? {} : { field }) });
  };
  world.refused.forEach(({ object, findings }) => add(object, findings));
  world.policies.forEach(({ object, policy, findings }) => {
    if (policy === undefined) add(object, findings);
  });
  return found;
}

/** Objects with a placeholder in their name or namespace. */
function counted({ world, related }: CaveatContext): readonly WithPlaceholder[] {
  const about = related();
  const isAbout = (id: ObjectId): boolean => about === undefined || about.above.has(id) || about.below.has(id);
  const found: WithPlaceholder[] = [];
  world.objects.forEach((object) => {
    const placeholder = placeholderInName(object);
    if (placeholder === undefined || !isAbout(object.id)) return;
    const { kindId } = object.family;
    if (world.rulebook.factsOf(kindId) === undefined && !world.rulebook.byPolicyKind.has(kindId)) return;
    const record = world.policies.get(object.id as PolicyId);
    if (record !== undefined && record.policy === undefined) return;
    found.push({ object, placeholder, isLeftOut: false });
  });
  return found;
}
