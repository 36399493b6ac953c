import { isJsonList, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { formatRef, type ObjectRef } from "../model/refs.ts";
import type { LinkPlan, RefField } from "./compile-rows.ts";
import { itemsAt } from "./key-path.ts";
import {
  type ChildDraft,
  findNamed,
  findTarget,
  formatForbidden,
  formatMissing,
  isPermitted,
  type NamedObject,
  unknownKind,
} from "./link-draft.ts";
import type { ChildUse, RefusalCode } from "./links.ts";
import { selectChildren } from "./select-children.ts";

/** Where references are: in the object itself, or in one of its sections. */
interface RefOwner {
  readonly raw: JsonObject;
  /** The index among the sections of the object; -1: the object itself. */
  readonly sectionIndex: number;
  /** The list of the section, and the index in it: `spec.rules` and 2. Undefined: the object itself. */
  readonly list: string | undefined;
  readonly index: number;
}

/** Adds the links to every object that the object or its sections name as a child. */
export function addChildren(draft: ChildDraft): void {
  const { plan, object } = draft;
  const own: RefOwner = { raw: object.raw, sectionIndex: -1, list: undefined, index: -1 };
  for (const field of plan.childRefs) addRefs(draft, field, own);
  if (!plan.sections.some(({ childRefs }) => childRefs.length > 0)) return;
  let sectionIndex = -1;
  for (const { path, itemsOf, childRefs } of plan.sections) {
    const items = itemsOf(object.raw);
    for (let index = 0; index < items.length; index++) {
      const raw = items[index];
      if (!isJsonObject(raw)) continue;
      sectionIndex++;
      for (const field of childRefs) addRefs(draft, field, { raw, sectionIndex, list: path, index });
    }
  }
}

function addRefs(draft: ChildDraft, field: RefField, owner: RefOwner): void {
  const refs = itemsAt(owner.raw, field.path);
  for (let index = 0; index < refs.length; index++) addChild(draft, field, owner, index, refs[index]);
}

function addChild(draft: ChildDraft, field: RefField, owner: RefOwner, index: number, ref: Json | undefined): void {
  const refuse = (code: RefusalCode, reason: string, child?: ObjectRef): void => {
    const at = fieldName(field, owner, index);
    draft.refusals.push({ field: at, code, reason, ...(child === undefined ? {} : { child }) });
  };
  if (!isJsonObject(ref)) return refuse("InvalidRef", "the reference must be an object");
  const selected = field.selects ? selectChildren(draft, field, ref) : undefined;
  if (selected !== undefined) {
    for (const { uses } of selected.children) addUse(uses, owner.sectionIndex, undefined);
    if (selected.children.length === 0) refuse("BackendNotFound", selected.reason, selected.ref);
    return;
  }
  const target = findTarget(field, ref);
  if (target === undefined) {
    const { code, reason } = unknownKind(draft, field, ref, "child");
    return refuse(code, reason);
  }
  const named = findNamed(draft, target, ref);
  if (named === undefined) return refuse("InvalidRef", `the reference must name a ${target.facts.kind}`);
  const code = refusalOf(draft, named);
  if (code !== undefined) return refuse(code, formatRefusal(draft, code, named), named.ref);
  const port = ref["port"];
  // The link exists even if the child has no such port: readers of the child's sections decide what that means.
  addUse(named.uses, owner.sectionIndex, typeof port === "number" ? port : undefined);
}

/** Sections come in order; a section may name the child several times, with a port or without. */
function addUse(uses: ChildUse[], sectionIndex: number, port: number | undefined): void {
  const last = uses.at(-1);
  if (last?.sectionIndex !== sectionIndex) {
    uses.push({ sectionIndex, ports: port === undefined ? [] : [port] });
  } else if (port !== undefined && !last.ports.includes(port)) {
    uses[uses.length - 1] = { sectionIndex, ports: [...last.ports, port].sort((a, b) => a - b) };
  }
}

function refusalOf(draft: ChildDraft, named: NamedObject): RefusalCode | undefined {
  const isFree = named.target.grants === "NotNeeded";
  if (!isFree && !isPermitted(draft, named) && !isMeshOnly(draft)) return "RefNotPermitted";
  if (named.object === undefined) return "BackendNotFound";
  return named.object === draft.object ? "SelfReference" : undefined;
}

/**
 * A mesh route needs no ReferenceGrant for its backends
 *
 * A route whose parents are mesh Services only may refer to backends in other namespaces without a grant, because it
 * exposes nothing. A parent that is not in the snapshot may exist, so it counts as what the reference names.
 * GEP-1294, "Namespace boundaries"
 */
export function isMeshOnly({ parents: { up, absentParents }, plan }: Pick<ChildDraft, "parents" | "plan">): boolean {
  return (
    up.length + absentParents.length > 0 &&
    up.every(({ frontend }) => frontend === true) &&
    absentParents.every((parent) => isFrontend(plan, parent))
  );
}

const isFrontend = ({ parentRefs }: LinkPlan, { group, kind }: ObjectRef): boolean =>
  parentRefs.some(({ targets }) =>
    targets.some(
      ({ facts, rows }) =>
        facts.kind === kind && facts.group === group && rows.every(({ attachment }) => attachment === "RouteToService"),
    ),
  );

function formatRefusal(draft: ChildDraft, code: RefusalCode, named: NamedObject): string {
  if (code === "RefNotPermitted") return formatForbidden(draft, named);
  if (code === "SelfReference") return `${formatRef(named.ref)} names itself as its child`;
  return formatMissing(draft.context, named);
}

const fieldName = ({ path }: RefField, { raw, list, index: at }: RefOwner, index: number): string =>
  `${list === undefined ? "" : `${list}[${at}].`}${path.text}${isJsonList(path.read(raw)) ? `[${index}]` : ""}`;
