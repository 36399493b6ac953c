import type { Targeting } from "../../definition.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../json.ts";
import { withoutVersion } from "../../kinds.ts";
import type { PolicyTarget } from "../../policy.ts";
import { formatValue } from "../../words/format-value.ts";
import { parseSelector } from "../parse-selector.ts";
import type { Report } from "./policy-problem.ts";

/** The target references of a policy. Attachment checks whether the targets exist and are allowed. `firstTarget`: see `PolicyReader`. */
export function parseTargets(
  spec: JsonObject,
  targeting: Targeting,
  report: Report,
  firstTarget: string = `spec.${targeting.fields.refs}[0]`,
): readonly PolicyTarget[] {
  // Objects name the policies of such a kind.
  if (targeting.kinds.length === 0) return NOTHING;
  const { ref, refs, selectors } = targeting.fields;
  const one = ownValue(spec, ref) ?? null;
  const lists = [listAt(spec, refs, report), listAt(spec, selectors, report)] as const;
  const [listed = NOTHING, selected = NOTHING] = lists;
  const named = (one === null ? 0 : 1) + listed.length + selected.length;
  // Most policies have one target. A literal list has no spare capacity, unlike a list that grew.
  const [first] = listed;
  if (named === 1 && first !== undefined) {
    const only = parseRef(first, firstTarget, targeting, report);
    return only === undefined ? NOTHING : [only];
  }
  const targets: (PolicyTarget | undefined)[] = [];
  if (one !== null) targets.push(parseRef(one, `spec.${ref}`, targeting, report));
  listed.forEach((item, i) => targets.push(parseRef(item, `spec.${refs}[${i}]`, targeting, report)));
  selected.forEach((item, i) => targets.push(parseTargetSelector(item, `spec.${selectors}[${i}]`, targeting, report)));
  const isUnreadable = lists.includes(undefined);
  if (targets.length === 0 && !isUnreadable && targeting.namedBy === undefined && targeting.absent === undefined) {
    report(
      "InvalidTarget",
      `spec.${refs}`,
      `The policy names no target: give spec.${refs === "" ? ref : refs}${targeting.refs === "One" ? "" : ` or spec.${ref}`}.`,
    );
  } else if (targets.length > 1 && targeting.refs === "One") {
    report(
      "InvalidTarget",
      `spec.${refs}`,
      `The policy names ${targets.length} targets, but its kind targets one resource only. Name one, and write a policy for each of the others.`,
    );
  }
  return targets.filter((target) => target !== undefined);
}

const NOTHING: readonly never[] = [];

/** Undefined: it is no list. */
function listAt(spec: JsonObject, name: string, report: Report): readonly Json[] | undefined {
  const value = ownValue(spec, name) ?? null;
  if (value === null) return NOTHING;
  if (isJsonList(value)) return value;
  report("InvalidTarget", `spec.${name}`, `spec.${name} is ${formatValue(value)}; allowed: a list of targets`);
  return undefined;
}

/** Parses an entry of `targetRefs`. Unknown fields, such as `type: direct`, are ignored. */
function parseRef(item: Json, field: string, targeting: Targeting, report: Report): PolicyTarget | undefined {
  if (!isJsonObject(item)) {
    report("InvalidTarget", field, `${field} is ${formatValue(item)}; allowed: an object with kind and name`);
    return undefined;
  }
  const name = textField(item, "name", field, report);
  const selector = ownValue(item, "selector") ?? null;
  if (name === undefined && selector === null) {
    const orSelector = targeting.selectors ? ", or a selector" : "";
    report("InvalidTarget", `${field}.name`, `${field}.name is missing: give the name of the target${orSelector}.`);
  }
  if (name !== undefined && selector !== null) {
    report("InvalidTarget", `${field}.selector`, `${field} has both a name and a selector; give one of them.`);
  }
  const target = buildTarget(item, field, name, targeting, report);
  if (selector !== null) addSelector(target, item, selector, `${field}.selector`, targeting, report);
  return target;
}

/** Parses an entry of `targetSelectors`. The labels are in the entry itself or in its field `selector`. */
function parseTargetSelector(
  item: Json,
  field: string,
  targeting: Targeting,
  report: Report,
): PolicyTarget | undefined {
  if (!isJsonObject(item)) {
    report("InvalidTarget", field, `${field} is ${formatValue(item)}; allowed: an object with kind and matchLabels`);
    return undefined;
  }
  const nested = ownValue(item, "selector") ?? null;
  const selector = nested ?? item;
  const where = nested === null ? field : `${field}.selector`;
  const target = buildTarget(item, field, undefined, targeting, report);
  addSelector(target, item, selector, where, targeting, report);
  return target;
}

type TargetDraft = { -readonly [K in keyof PolicyTarget]: PolicyTarget[K] };

function buildTarget(
  item: JsonObject,
  field: string,
  name: string | undefined,
  targeting: Targeting,
  report: Report,
): TargetDraft {
  const kind = textField(item, "kind", field, report) ?? targeting.impliedKind;
  if (kind === undefined)
    report("InvalidTarget", `${field}.kind`, `${field}.kind is missing: give the kind of the target.`);
  const group = ownValue(item, "group") ?? undefined;
  if (group !== undefined && (typeof group !== "string" || group.length > MAX_LENGTH)) {
    report("InvalidTarget", `${field}.group`, `${field}.group is ${formatValue(group)}; allowed: an API group`);
  }
  const namespace = textField(item, "namespace", field, report);
  const sectionName = textField(item, "sectionName", field, report);
  const target = targetNamed(field, typeof group === "string" ? withoutVersion(group) : undefined, kind ?? "", name);
  if (namespace !== undefined) target.namespace = namespace;
  if (sectionName !== undefined) target.sectionName = sectionName;
  const port = targeting.kinds.some(({ byPort }) => byPort) ? (ownValue(item, "port") ?? undefined) : undefined;
  if (typeof port === "number") target.port = port;
  else if (port !== undefined)
    report("InvalidTarget", `${field}.port`, `${field}.port is ${formatValue(port)}; allowed: the number of a port`);
  return target;
}

/** Literals with exactly the fields that are set: adding a field later would make each of the many records larger. */
function targetNamed(field: string, group: string | undefined, kind: string, name: string | undefined): TargetDraft {
  if (group !== undefined && name !== undefined) return { field, group, kind, name };
  if (group !== undefined) return { field, group, kind };
  return name === undefined ? { field, kind } : { field, kind, name };
}

/** Longer than any name that the API server accepts. */
const MAX_LENGTH = 512;

/** A string; undefined if it is absent or empty. Another value is reported, and the result is empty, so that it is not reported as missing too. */
function textField(item: JsonObject, key: string, field: string, report: Report): string | undefined {
  const value = ownValue(item, key) ?? undefined;
  if (value === undefined || value === "") return undefined;
  if (typeof value === "string" && value.length <= MAX_LENGTH) return value;
  const allowed = typeof value === "string" ? `at most ${MAX_LENGTH} characters` : "a string";
  report("InvalidTarget", `${field}.${key}`, `${field}.${key} is ${formatValue(value)}; allowed: ${allowed}`);
  return "";
}

/** Reads the namespaces of a selector: `{from: Same}`, `{from: All}`, `{from: Selector, selector: {matchLabels: …}}`. */
function addNamespaces(target: TargetDraft, item: JsonObject, targeting: Targeting, report: Report): void {
  const key = targeting.selectorNamespaces?.field;
  const value = key === undefined ? null : (ownValue(item, key) ?? null);
  if (key === undefined || value === null) return;
  const field = `${target.field}.${key}`;
  const from = isJsonObject(value) ? (ownValue(value, "from") ?? "Same") : undefined;
  if (from === "Same") return;
  if (from === "All") {
    target.namespaces = from;
    return;
  }
  if (!isJsonObject(value) || from !== "Selector") {
    const found = formatValue(isJsonObject(value) ? (from ?? null) : value);
    report("InvalidSelector", `${field}.from`, `${field}.from is ${found}; allowed: Same, All, Selector`);
    return;
  }
  const parsed = parseSelector(ownValue(value, "selector") ?? null);
  if (parsed.ok) target.namespaces = parsed.selector;
  else {
    const where = `${field}.selector${parsed.field === "" ? "" : `.${parsed.field}`}`;
    report("InvalidSelector", where, `${where} ${parsed.message}.`);
  }
}

function addSelector(
  target: TargetDraft,
  item: JsonObject,
  value: Json,
  field: string,
  targeting: Targeting,
  report: Report,
): void {
  if (!targeting.selectors) {
    report(
      "InvalidSelector",
      field,
      `${field} selects targets by label, which the kind does not support. Name each target.`,
    );
    return;
  }
  const parsed = parseSelector(value);
  if (parsed.ok) {
    target.selector = parsed.selector;
    if (field === target.field) target.selectorField = field;
    addNamespaces(target, item, targeting, report);
    return;
  }
  const where = parsed.field === "" ? field : `${field}.${parsed.field}`;
  report("InvalidSelector", where, `${where} ${parsed.message}.`);
}
