import { isJsonList, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { displayRef, type ObjectRef } from "../model/refs.ts";
import type { LinkPlan, RefField } from "./compile-rows.ts";
import { itemsAt } from "./key-path.ts";
import {
  describeForbidden,
  describeMissing,
  describeUnknownKind,
  findNamed,
  findTarget,
  isPermitted,
  type LinkDraft,
  type NamedObject,
  refOf,
  refuse,
} from "./link-draft.ts";
import type { RefusalCode } from "./links.ts";

/** Where references stand: in the object itself (`position` -1), or in one of its sections. */
interface Holder {
  raw: JsonObject;
  position: number;
  /** Path of the list that the section stands in, and its place there. */
  list: string;
  index: number;
}

/** Adds the links to everything that an object or its sections name as their children. Parents come first: see `isMeshOnly`. */
export function addChildren(draft: LinkDraft): void {
  const { plan, object } = draft;
  // One for all sections: thousands of routes have a few each.
  const holder: Holder = { raw: object.raw, position: -1, list: "", index: -1 };
  for (const field of plan.childRefs) addRefs(draft, field, holder);
  if (!plan.inSections) return;
  for (const { list, childRefs } of plan.sections) {
    const items = list.path.read(object.raw);
    if (!isJsonList(items)) continue;
    holder.list = list.path.text;
    for (let index = 0; index < items.length; index++) {
      const raw = items[index];
      if (!isJsonObject(raw)) continue;
      holder.raw = raw;
      holder.index = index;
      holder.position++;
      for (const field of childRefs) addRefs(draft, field, holder);
    }
  }
}

function addRefs(draft: LinkDraft, field: RefField, holder: Holder): void {
  const refs = itemsAt(holder.raw, field.path);
  for (let index = 0; index < refs.length; index++) addChild(draft, field, holder, index, refs[index] ?? null);
}

function addChild(draft: LinkDraft, field: RefField, holder: Holder, index: number, ref: Json): void {
  const target = isJsonObject(ref) ? findTarget(field, ref) : undefined;
  if (!isJsonObject(ref) || target === undefined) {
    const reason = isJsonObject(ref)
      ? describeUnknownKind(draft, field, ref, "child")
      : "the reference must be an object";
    const code = isJsonObject(ref) ? "InvalidKind" : "InvalidRef";
    return refuse(draft, { field: fieldText(field, holder, index), code, reason });
  }
  const named = findNamed(draft, target, ref);
  if (named === undefined) {
    const reason = `the reference must name a ${target.facts.kind}`;
    return refuse(draft, { field: fieldText(field, holder, index), code: "InvalidRef", reason });
  }
  const wrong = whyNot(draft, named);
  if (wrong !== undefined) return refuseChild(draft, fieldText(field, holder, index), wrong, named);
  const port = ref["port"];
  // Whether the child has that port is for those to say who read its sections.
  named.uses = (named.uses ?? draft.plan.noUses).with(holder.position, typeof port === "number" ? port : undefined);
}

function whyNot(draft: LinkDraft, named: NamedObject): RefusalCode | undefined {
  if (named.namespace !== draft.home && !isMeshOnly(draft) && !isPermitted(draft, named)) {
    return "RefNotPermitted";
  }
  if (named.object === undefined) return "BackendNotFound";
  return named.object === draft.object ? "SelfReference" : undefined;
}

/** GEP-1294: a route that is attached to mesh Services only needs no grant, as it exposes nothing. A Gateway that is not in the snapshot may well be there. */
function isMeshOnly({ up, upCount, absentParents, plan }: LinkDraft): boolean {
  for (let i = 0; i < upCount; i++) if (up[i]?.link.frontend !== true) return false;
  return upCount > 0 && (absentParents === undefined || absentParents.every((parent) => isFrontend(plan, parent)));
}

const isFrontend = ({ parentRefs }: LinkPlan, { group, kind }: ObjectRef): boolean =>
  parentRefs.some(({ targets }) =>
    targets.some(
      ({ facts, rows }) =>
        facts.kind === kind && facts.group === group && rows.every(({ attachment }) => attachment === "RouteToService"),
    ),
  );

function refuseChild(draft: LinkDraft, field: string, code: RefusalCode, named: NamedObject): void {
  const child = refOf(named);
  const itself = `${displayRef(child)} names itself as its child`;
  const missing = (): string => (code === "SelfReference" ? itself : describeMissing(draft.context, named));
  refuse(draft, {
    field,
    code,
    reason: code === "RefNotPermitted" ? describeForbidden(draft, named) : missing(),
    child,
  });
}

function fieldText({ path }: RefField, { raw, list, index }: Holder, nth: number): string {
  const prefix = list === "" ? "" : `${list}[${index}].`;
  return `${prefix}${path.text}${isJsonList(path.read(raw)) ? `[${nth}]` : ""}`;
}
