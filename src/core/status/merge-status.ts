/** Puts what the controller reports into an object as it is in the cluster, without touching what others have written there. */
import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  objectAt,
  objectsIn,
  ownValue,
} from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import { POLICY_CONDITIONS } from "./former-conditions.ts";
import { MAX_ANCESTORS } from "./limit-ancestors.ts";
import { MAX_CONDITIONS, mergeConditions } from "./merge-conditions.ts";
import type { AncestorRef, AncestorStatus, Condition, StatusLocation, TargetStatus } from "./status-report.ts";
import type { WantedStatus } from "./wanted-status.ts";

export interface MergeOptions {
  /** Entries of this controller are ours. */
  readonly controllerName: string;
  /** The types of `Affected` conditions that are ours and may be changed now. */
  readonly isOurs: (type: string) => boolean;
  /** True: this controller implements Gateway API, so that the conditions of Gateway API in its entries of `status.parents` are its own. */
  readonly implementsGatewayApi?: boolean;
  /** True: what the controller writes as that of a GatewayClass stays as it is, because something that it rests on cannot be read. */
  readonly areGatewaysHeld?: boolean;
  /** False: the entries of `status.ancestors`, or the conditions of a policy without ancestors, stay as they are. */
  readonly mayChangeAncestors: boolean;
  /** Now, as Kubernetes writes times: RFC 3339 with whole seconds. */
  readonly now: string;
}

/** A part of what is wanted that cannot be in the status of the object now. */
export interface LeftOutPart {
  /** `Full`: the list has no room. `NoEntry`: the controller of the Gateway has not listed the listener yet. */
  readonly reason: "Full" | "NoEntry";
  /** The parts that are left out and why, without the name of the object. */
  readonly message: string;
}

export interface MergedStatus {
  /** The object to write; undefined if it already says what is wanted. */
  readonly object: JsonObject | undefined;
  /** The parts of the object that differ. */
  readonly changes: { readonly status: boolean; readonly annotations: boolean };
  readonly leftOut: readonly LeftOutPart[];
}

/** The number of entries that `status.parents` of a route has room for. */
const MAX_PARENTS = 32;

/**
 * Status of several writers
 *
 * The controller changes the entries of `status.ancestors` and `status.parents` that have its name, conditions of its own `Affected` types, and
 * annotations of these names. In objects of its own, such as Gateways of its class, it also changes the conditions of Gateway API, fields and the
 * list of listeners. Everything else stays as it is. Times alone are no difference.
 * GEP-713, "Status needs to be namespaced by implementation"
 */
export function mergeStatus(object: JsonObject, wanted: WantedStatus, options: MergeOptions): MergedStatus {
  const leftOut: LeftOutPart[] = [];
  const context = contextOf(object, wanted, { ...options, leftOut });
  const targets = changeable(wanted.targets, context);
  const before = objectAt(object, "status");
  const parts: Readonly<Record<string, Json | undefined>> = {
    ancestors: options.mayChangeAncestors ? ancestorsAfter(before["ancestors"], wanted.ancestors, context) : undefined,
    parents: parentsAfter(before["parents"], targets, context),
    listeners: listenersAfter(before["listeners"], targets, context),
    conditions: conditionsAfter(before["conditions"], wanted, targets, context),
    ...fieldsAfter(before, targets, context),
  };
  const changed = Object.entries(parts).flatMap(([key, part]) => (part === undefined ? [] : [[key, part] as const]));
  const annotations = annotationsAfter(object, conditionsAt(targets, "Annotations"), options);
  const changes = { status: changed.length > 0, annotations: annotations !== undefined };
  if (!changes.status && !changes.annotations) return { object: undefined, changes, leftOut };
  return {
    object: {
      ...object,
      ...(annotations === undefined ? {} : { metadata: { ...objectAt(object, "metadata"), annotations } }),
      ...(changes.status ? { status: { ...before, ...Object.fromEntries(changed) } } : {}),
    },
    changes,
    leftOut,
  };
}

interface MergeContext extends MergeOptions {
  readonly object: JsonObject;
  readonly leftOut: LeftOutPart[];
  /** True: the status as a whole is this controller's. */
  readonly isOwn: boolean;
  /** `isOurs` for the entries of `status.parents`. */
  readonly isOursInParents: (type: string) => boolean;
}

/** The types of conditions that Gateway API defines for objects, listeners and routes, and that of CoverageRules. Others may write conditions of all other types. */
const OWNER_TYPES: ReadonlySet<string> = new Set([
  "Accepted",
  "Programmed",
  "ResolvedRefs",
  "Conflicted",
  "OverlappingTLSConfig",
  "PartiallyInvalid",
  "SupportedVersion",
  "InsecureFrontendValidationMode",
  // Earlier versions of Gateway API had these.
  "Detached",
  "Ready",
  "Scheduled",
  "Covered",
]);

function contextOf(
  object: JsonObject,
  wanted: WantedStatus,
  options: MergeOptions & Pick<MergeContext, "leftOut">,
): MergeContext {
  const { isOurs, areGatewaysHeld = false } = options;
  const isOwn = wanted.isOwn === true && !areGatewaysHeld;
  const implementsGatewayApi = options.implementsGatewayApi === true && !areGatewaysHeld;
  const isOursAsOwner = (type: string): boolean => isOurs(type) || OWNER_TYPES.has(type);
  return {
    ...options,
    object,
    isOwn,
    isOurs: isOwn ? isOursAsOwner : isOurs,
    isOursInParents: implementsGatewayApi ? isOursAsOwner : isOurs,
  };
}

/** The wanted conditions, without the types that may not be changed now. */
const changeable = (
  targets: readonly TargetStatus[],
  { isOurs, isOursInParents, isOwn }: MergeContext,
): readonly TargetStatus[] =>
  targets.flatMap(({ conditions, ...target }) => {
    const open = conditions.filter(({ type }) => (target.location.at === "Parent" ? isOursInParents : isOurs)(type));
    return open.length === 0 && !(isOwn && target.fields !== undefined) ? [] : [{ ...target, conditions: open }];
  });

/** The fields of `status` beside lists of conditions, of an object of this controller. */
function fieldsAfter(
  before: JsonObject,
  targets: readonly TargetStatus[],
  { isOwn }: MergeContext,
): Readonly<Record<string, Json>> {
  if (!isOwn) return {};
  const wanted = targets.flatMap(({ location, fields = {} }) =>
    location.at === "Conditions" ? Object.entries(fields) : [],
  );
  // A list that is absent and would be empty stays absent.
  const isSame = (was: Json | undefined, value: Json): boolean => jsonEqual(was ?? [], value) || jsonEqual(was, value);
  return Object.fromEntries(wanted.filter(([key, value]) => !isSame(before[key], value)));
}

/** The conditions that are wanted at the object as a whole. */
const conditionsAt = (targets: readonly TargetStatus[], at: StatusLocation["at"]): readonly Condition[] =>
  targets.flatMap(({ location, conditions }) => (location.at === at ? conditions : []));

const itemsOf = (list: Json | undefined): readonly Json[] => (isJsonList(list) ? list : []);

/** Undefined if nothing changes. A list that is absent and would be empty stays absent. */
const ifChanged = (before: Json | undefined, after: readonly Json[]): Json | undefined =>
  jsonEqual(before, after) || (after.length === 0 && !isJsonList(before)) ? undefined : after;

function ancestorsAfter(
  existing: Json | undefined,
  wanted: readonly AncestorStatus[],
  { controllerName, object, now, leftOut }: MergeContext,
): Json | undefined {
  const open = [...wanted];
  const namespace = namespaceOf(object);
  const list: Json[] = [];
  for (const item of itemsOf(existing)) {
    if (!isJsonObject(item) || item["controllerName"] !== controllerName) {
      list.push(item);
      continue;
    }
    const at = open.findIndex(({ ancestorRef }) => isSameRef(item["ancestorRef"], refObject(ancestorRef), namespace));
    const [entry] = at === -1 ? [] : open.splice(at, 1);
    if (entry !== undefined) list.push(ancestorAfter(item, entry, now));
  }
  const room = Math.max(0, MAX_ANCESTORS - list.length);
  for (const entry of open.slice(0, room)) list.push(ancestorAfter(undefined, entry, now));
  for (const { ancestorRef } of open.slice(room))
    leftOut.push({
      reason: "Full",
      message: `status.ancestors has no room for ${ancestorRef.kind} ${ancestorRef.name}: it may have ${MAX_ANCESTORS} entries`,
    });
  return ifChanged(existing, list);
}

function ancestorAfter(
  before: JsonObject | undefined,
  { ancestorRef, controllerName, conditions }: AncestorStatus,
  now: string,
): JsonObject {
  const { list } = mergeConditions(before?.["conditions"], {
    wanted: conditions,
    isOurs: () => true,
    now,
    limit: MAX_CONDITIONS,
  });
  return { ancestorRef: before?.["ancestorRef"] ?? refObject(ancestorRef), controllerName, conditions: list };
}

const refObject = ({ group, kind, namespace, name, sectionName }: AncestorRef): JsonObject => ({
  group,
  kind,
  ...(namespace === undefined ? {} : { namespace }),
  name,
  ...(sectionName === undefined ? {} : { sectionName }),
});

/** Gateway API, RouteParentStatus: an entry must have a condition, so an entry without one is withdrawn. */
function parentsAfter(
  existing: Json | undefined,
  targets: readonly TargetStatus[],
  context: MergeContext,
): Json | undefined {
  const { controllerName, object, isOursInParents: isOurs, now, leftOut } = context;
  const open = targets.flatMap(({ location, conditions }) =>
    location.at === "Parent" ? [{ parentRef: location.parentRef, conditions }] : [],
  );
  const merged = (before: Json | undefined, wanted: readonly Condition[]): readonly Json[] =>
    fitting(
      mergeConditions(before, { wanted, isOurs, now, limit: MAX_CONDITIONS }),
      "an entry of status.parents",
      context,
    );
  const namespace = namespaceOf(object);
  const list: Json[] = [];
  for (const item of itemsOf(existing)) {
    if (!isJsonObject(item) || item["controllerName"] !== controllerName) {
      list.push(item);
      continue;
    }
    const at = open.findIndex(({ parentRef }) => isSameRef(item["parentRef"], parentRef, namespace));
    const [entry] = at === -1 ? [] : open.splice(at, 1);
    const conditions = merged(item["conditions"], entry?.conditions ?? []);
    if (conditions.length > 0) list.push({ ...item, conditions });
  }
  const room = Math.max(0, MAX_PARENTS - list.length);
  for (const { parentRef, conditions } of open.slice(0, room))
    list.push({ parentRef, controllerName, conditions: merged(undefined, conditions) });
  if (open.length > room)
    leftOut.push({
      reason: "Full",
      message: `status.parents has no room for ${open.length - room} entries: it may have ${MAX_PARENTS}`,
    });
  return ifChanged(existing, list);
}

/** Gateway API, ListenerStatus: the controller of the Gateway lists the listeners. Others add conditions to what it has listed. */
function listenersAfter(
  existing: Json | undefined,
  targets: readonly TargetStatus[],
  context: MergeContext,
): Json | undefined {
  const { isOurs, now, leftOut } = context;
  if (context.isOwn) return ownListenersAfter(existing, targets, context);
  const open = new Map(
    targets.flatMap(({ location, conditions }) => (location.at === "Listener" ? [[location.name, conditions]] : [])),
  );
  const list = itemsOf(existing).map((item) => {
    const name = isJsonObject(item) ? ownValue(item, "name") : undefined;
    if (!isJsonObject(item) || typeof name !== "string") return item;
    const wanted = open.get(name) ?? [];
    open.delete(name);
    const before = item["conditions"];
    const merged = mergeConditions(before, { wanted, isOurs, now, limit: MAX_CONDITIONS });
    const conditions = ifChanged(before, fitting(merged, `the listener '${name}'`, context));
    return conditions === undefined ? item : { ...item, conditions };
  });
  for (const name of open.keys())
    leftOut.push({ reason: "NoEntry", message: `status.listeners has no entry for the listener '${name}' yet` });
  return ifChanged(existing, list);
}

/** The listeners of an object of this controller, in the order of what is wanted. A listener that is not wanted is not listed any more. */
function ownListenersAfter(
  existing: Json | undefined,
  targets: readonly TargetStatus[],
  context: MergeContext,
): Json | undefined {
  const { isOurs, now, leftOut } = context;
  const before = new Map(objectsIn(existing).map((item) => [ownValue(item, "name"), item]));
  const list: Json[] = [];
  for (const { location, conditions, fields, kept } of targets) {
    if (location.at !== "Listener") continue;
    const { name } = location;
    if (fields === undefined) {
      leftOut.push({ reason: "NoEntry", message: `status.listeners has no entry for the listener '${name}' yet` });
      continue;
    }
    const item = before.get(name);
    const merged = mergeConditions(item?.["conditions"], {
      wanted: conditions,
      isOurs: oursBut(kept, isOurs),
      now,
      limit: MAX_CONDITIONS,
    });
    const entry = { name, ...fields, conditions: fitting(merged, `the listener '${name}'`, context) };
    list.push(item !== undefined && jsonEqual(item, entry) ? item : entry);
  }
  return ifChanged(existing, list);
}

/** The conditions of a policy have no owner: of an owned kind without ancestors, those that a controller of policies writes are ours. */
function conditionsAfter(
  existing: Json | undefined,
  { conditions: ofPolicy }: WantedStatus,
  targets: readonly TargetStatus[],
  context: MergeContext,
): Json | undefined {
  const { object, now, mayChangeAncestors } = context;
  const ofTarget = conditionsAt(targets, "Conditions");
  const kept = targets.flatMap((target) => (target.location.at === "Conditions" ? (target.kept ?? []) : []));
  const isPolicy = ofPolicy !== undefined && mayChangeAncestors;
  const isOurs = oursBut(
    kept,
    (type: string): boolean => context.isOurs(type) || (isPolicy && POLICY_CONDITIONS.has(type)),
  );
  const wanted = isPolicy ? [...ofPolicy, ...ofTarget] : ofTarget;
  const limit = isOfGatewayApi(object) ? MAX_CONDITIONS : Number.POSITIVE_INFINITY;
  return ifChanged(existing, fitting(mergeConditions(existing, { wanted, isOurs, now, limit }), "the status", context));
}

/** The types that are ours, without those that stay as they are for now. */
const oursBut =
  (kept: TargetStatus["kept"], isOurs: MergeOptions["isOurs"]): MergeOptions["isOurs"] =>
  (type) =>
    isOurs(type) && kept?.includes(type) !== true;

/** The list, after noting the conditions that have no room in it. */
function fitting(
  { list, leftOut: types }: ReturnType<typeof mergeConditions>,
  where: string,
  { leftOut }: MergeContext,
): readonly Json[] {
  for (const type of types)
    leftOut.push({
      reason: "Full",
      message: `${where} has no room for the condition ${type}: it may have ${MAX_CONDITIONS} conditions`,
    });
  return list;
}

/** Undefined if nothing changes. */
function annotationsAfter(
  object: JsonObject,
  conditions: readonly Condition[],
  { isOurs }: MergeOptions,
): JsonObject | undefined {
  const before = objectAt(objectAt(object, "metadata"), "annotations");
  const wanted = conditions.filter(({ status }) => status === "True").map(({ type }) => type);
  const kept = Object.entries(before).filter(([key]) => !isOurs(key) || wanted.includes(key));
  const after: JsonObject = Object.fromEntries([...kept, ...wanted.map((type) => [type, "true"] as const)]);
  return jsonEqual(before, after) ? undefined : after;
}

/** Compares two references as the API server completes them. */
function isSameRef(a: Json | undefined, b: JsonObject, namespace: string): boolean {
  if (!isJsonObject(a)) return false;
  const defaults: Readonly<Record<string, Json>> = { group: GATEWAY_API, kind: "Gateway", namespace };
  return REF_FIELDS.every((field) => {
    const [one, other] = [ownValue(a, field) ?? defaults[field], ownValue(b, field) ?? defaults[field]];
    return one === other;
  });
}

const REF_FIELDS = ["group", "kind", "namespace", "name", "sectionName", "port"];

function namespaceOf(object: JsonObject): string {
  const namespace = objectAt(object, "metadata")["namespace"];
  return typeof namespace === "string" ? namespace : "";
}

const isOfGatewayApi = ({ apiVersion }: JsonObject): boolean =>
  typeof apiVersion === "string" && /^gateway\.networking\.(?:x-)?k8s\.io\//.test(apiVersion);
