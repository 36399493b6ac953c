/** References that stand for several children: every object of a kind in a namespace, or those with a label. */
import { type JsonObject, ownValue } from "../model/json.ts";
import { type KubeObject, labelsOf } from "../model/kube-object.ts";
import { idOf, isPlainName, type KindId, type ObjectId, type ObjectRef } from "../model/refs.ts";
import type { RefField, RefTarget } from "./compile-rows.ts";
import { type ChildDraft, findTarget, isPermitted, lookUp, type NamedObject } from "./link-draft.ts";

interface SelectedChildren {
  readonly children: readonly NamedObject[];
  /** For an empty list: what was looked for, and the reason why nothing was found. */
  readonly ref: ObjectRef;
  readonly reason: string;
}

/** No object has this name. */
const ANY = "*";

/**
 * The id that stands for every object of a kind in a namespace, or in all namespaces. An object that selects children depends on it: a new
 * object of the kind may be one of them.
 */
export const anyObjectIn = (kind: KindId, namespace: string | undefined): ObjectId => idOf(kind, namespace ?? ANY, ANY);

/**
 * A reference may select several children
 *
 * A definition may say that a name stands for every object of a kind in a namespace, and that references of a certain group and kind name the
 * value of a label. The object itself is never one of its children. Undefined: the reference names one object.
 * Gateway API, "BackendObjectReference"
 */
export function selectChildren(draft: ChildDraft, field: RefField, ref: JsonObject): SelectedChildren | undefined {
  for (const target of field.targets) {
    const { byLabel } = target;
    if (byLabel === undefined || ref["kind"] !== byLabel.kind || ref["group"] !== byLabel.group) continue;
    const { allNamespaces, label } = byLabel;
    const isEverywhere = allNamespaces !== undefined && ref["namespace"] === allNamespaces;
    const value = ref["name"];
    const hasLabel = (object: KubeObject): boolean => ownValue(labelsOf(object), label) === value;
    return select(draft, target, isEverywhere ? undefined : namespaceOf(draft, ref), {
      isChild: hasLabel,
      which: `with the label ${label}=${typeof value === "string" ? value : ""}`,
    });
  }
  const target = findTarget(field, ref);
  if (target?.anyName === undefined || ref["name"] !== target.anyName) return undefined;
  return select(draft, target, namespaceOf(draft, ref), { isChild: () => true, which: "" });
}

function namespaceOf(draft: ChildDraft, ref: JsonObject): string {
  const namespace = ref["namespace"];
  return typeof namespace === "string" && isPlainName(namespace) ? namespace : draft.namespace;
}

function select(
  draft: ChildDraft,
  target: RefTarget,
  namespace: string | undefined,
  { isChild, which }: { readonly isChild: (object: KubeObject) => boolean; readonly which: string },
): SelectedChildren {
  const { group, kind } = target.facts;
  // The selected kind has no uses, so it is recorded as an object that is named and not linked.
  lookUp(draft, target, namespace ?? ANY, ANY);
  const children = [...draft.context.objectsOf(target.id, namespace)]
    .filter((object) => object !== draft.object && isChild(object))
    .map((object) => lookUp(draft, target, object.family.namespace, object.name))
    .filter((named) => target.grants === "NotNeeded" || isPermitted(draft, named));
  const where = namespace === undefined ? "" : ` in namespace '${namespace}'`;
  return {
    children,
    ref: { group, kind, namespace: namespace ?? "", name: ANY },
    reason: `no other ${kind}${where}${which === "" ? "" : ` ${which}`}`,
  };
}
