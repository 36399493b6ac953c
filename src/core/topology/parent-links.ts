import { isJsonList, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { displayRef, isPlainName, type ObjectRef } from "../model/refs.ts";
import { nearMiss } from "../model/words/near-miss.ts";
import { allowedNamespaces, describeAllowed, isNamespaceAllowed } from "./allowed-namespaces.ts";
import type { RefField, RefTarget } from "./compile-rows.ts";
import { itemsAt, keyPath } from "./key-path.ts";
import {
  addUp,
  describeForbidden,
  describeMissing,
  describeUnknownKind,
  findNamed,
  findTarget,
  idOfNamed,
  isPermitted,
  type LinkDraft,
  lookUp,
  type NamedObject,
  refOf,
  refuse,
} from "./link-draft.ts";
import type { RefusalCode } from "./links.ts";
import { type Acceptance, explainAcceptance, listenerAccepts, type RouteRequest } from "./listener-accepts.ts";
import { type Listener, listenersOf } from "./listeners-of.ts";
import { sectionsOf } from "./sections-of.ts";

/** A reference to a parent, and where it stands. */
interface Ask {
  readonly field: RefField;
  readonly index: number;
  readonly ref: JsonObject;
}

/** Adds the links to everything that an object names as its parent. */
export function addParents(draft: LinkDraft): void {
  const { plan, object } = draft;
  for (const field of plan.parentNames) addNamedParent(draft, field);
  for (const field of plan.parentRefs) {
    const refs = itemsAt(object.raw, field.path);
    for (let index = 0; index < refs.length; index++) {
      const ref = refs[index];
      if (isJsonObject(ref)) addParent(draft, { field, index, ref });
      else refuseMalformed(draft, fieldText(draft, field, index), undefined);
    }
  }
}

/** A cluster-scoped parent needs no document: the class of a Gateway is whatever its controller says it is. */
function addNamedParent(draft: LinkDraft, { path, targets }: RefField): void {
  const name = path.read(draft.object.raw);
  if (name === undefined || name === null || name === "") return;
  for (const target of targets) {
    if (typeof name !== "string" || !isPlainName(name)) {
      refuseMalformed(draft, path.text, target);
      continue;
    }
    const implied = target.facts.scope === "Cluster";
    const named = lookUp(draft, target, implied ? "" : draft.home, name);
    if (named.object === draft.object) {
      refuseItself(draft, path.text, named);
    } else if (named.object === undefined && !implied) {
      refuseAbsent(draft, path.text, named);
    } else {
      if (named.object === undefined) draft.impliedParents = [...(draft.impliedParents ?? []), refOf(named)];
      for (const { section } of target.rows) addPlainly(draft, named, section, undefined);
    }
  }
}

function addParent(draft: LinkDraft, ask: Ask): void {
  const { field, index, ref } = ask;
  const target = findTarget(field, ref);
  if (target === undefined) {
    const reason = describeUnknownKind(draft, field, ref, "parent");
    return refuse(draft, { field: fieldText(draft, field, index), code: "InvalidKind", reason });
  }
  const named = findNamed(draft, target, ref);
  if (named === undefined) return refuseMalformed(draft, fieldText(draft, field, index), target);
  if (named.object === undefined) return refuseAbsent(draft, fieldText(draft, field, index), named);
  if (named.object === draft.object) return refuseItself(draft, fieldText(draft, field, index), named);
  const before = draft.upCount;
  for (const { section, attachment } of target.rows) {
    switch (attachment) {
      case "RouteToListener":
        addListeners(draft, ask, named.object, listenersOf(named.object, target.facts, section ?? "Listener"));
        break;
      case "ListenerSetToGateway":
        addGateway(draft, ask, named.object);
        break;
      case "RouteToService":
        addFrontend(draft, ask, named.object, target);
        break;
      case undefined:
        if (isPermitted(draft, named)) addPlainly(draft, named, section, ref["sectionName"]);
        else refuseForbidden(draft, fieldText(draft, field, index), named);
    }
  }
  if (draft.upCount > before) named.isParent = true;
}

/** A parent that has no say. */
function addPlainly(
  draft: LinkDraft,
  named: NamedObject,
  section: string | undefined,
  sectionName: Json | undefined,
): void {
  const { object, target } = named;
  const id = idOfNamed(named);
  const before = draft.upCount;
  if (section === undefined) {
    addUp(draft, { order: -1, link: { parent: id } });
  } else if (object !== undefined) {
    for (const [order, item] of sectionsOf(object, target.facts).entries()) {
      const meant = typeof sectionName !== "string" || sectionName === "" || sectionName === item.raw["name"];
      if (item.section === section && meant) addUp(draft, { order, link: { parent: id, section: item.name } });
    }
  }
  if (draft.upCount > before) named.isParent = true;
}

/** A route attaches to the listeners of its direct parent only (GEP-1713); one that accepts it is enough. */
function addListeners(draft: LinkDraft, ask: Ask, owner: KubeObject, listeners: readonly Listener[]): void {
  const asksForAll = ask.ref["sectionName"] === undefined && ask.ref["port"] === undefined;
  if (asksForAll && isOpenTo(draft.openTo, draft, listeners)) {
    for (const listener of listeners) addUp(draft, listener);
    return;
  }
  const request = requestOf(draft, ask.ref);
  const { namespace: ownHome } = owner.family;
  let accepted = false;
  for (const listener of listeners) {
    if (listenerAccepts(listener, ownHome, request, labelsFor(draft, listener)) !== "Accepted") continue;
    addUp(draft, listener);
    accepted = true;
  }
  if (!accepted) refuseByListeners(draft, ask, owner, listeners);
  else if (asksForAll && listeners.every((listener) => isOpen(listener, ownHome, request)))
    draft.openTo = { listeners, facts: draft.plan.facts, home: draft.home };
}

/** Whether listeners take every such route, as they took the one before: whatever its hostnames are, and whoever it is. */
const isOpenTo = (known: LinkDraft["openTo"], { plan, home }: LinkDraft, listeners: readonly Listener[]): boolean =>
  known !== undefined && known.listeners === listeners && known.facts === plan.facts && known.home === home;

const isOpen = (listener: Listener, ownHome: string, request: RouteRequest): boolean =>
  listener.hostname === undefined &&
  listener.namespaces.from !== "Selector" &&
  listenerAccepts(listener, ownHome, request, NO_LABELS) === "Accepted";

const NO_LABELS: JsonObject = {};
const NO_HOSTNAMES: readonly Json[] = [];

function labelsFor(draft: LinkDraft, { namespaces }: Pick<Listener, "namespaces">): JsonObject {
  if (namespaces.from !== "Selector") return NO_LABELS;
  draft.labelsRead = true;
  return draft.context.namespaceLabels(draft.home);
}

function requestOf({ plan, object, home }: LinkDraft, { sectionName, port }: JsonObject): RouteRequest {
  const spec = object.raw["spec"];
  const hostnames = isJsonObject(spec) ? spec["hostnames"] : undefined;
  return {
    facts: plan.facts,
    namespace: home,
    hostnames: isJsonList(hostnames) ? hostnames : NO_HOSTNAMES,
    sectionName: typeof sectionName === "string" && sectionName !== "" ? sectionName : undefined,
    port: typeof port === "number" ? port : undefined,
  };
}

/** The order in which refusals are worth telling: the listener that came nearest to accepting. */
const NEARNESS: Readonly<Record<Acceptance, number>> = {
  OtherName: 0,
  OtherPort: 1,
  OtherKinds: 2,
  OtherProtocol: 2,
  OtherNamespaces: 3,
  OtherHostname: 4,
  Accepted: 5,
};

function refuseByListeners(draft: LinkDraft, ask: Ask, owner: KubeObject, listeners: readonly Listener[]): void {
  const request = requestOf(draft, ask.ref);
  let nearest: Listener | undefined;
  let why: Acceptance = "OtherName";
  let relevant = 0;
  for (const listener of listeners) {
    const acceptance = listenerAccepts(listener, owner.family.namespace, request, labelsFor(draft, listener));
    if (NEARNESS[acceptance] > NEARNESS.OtherPort) relevant++;
    if (nearest !== undefined && NEARNESS[acceptance] <= NEARNESS[why]) continue;
    nearest = listener;
    why = acceptance;
  }
  let reason = `${displayRef(owner.ref)} has no listeners`;
  if (nearest !== undefined) reason = explainAcceptance(why, nearest, owner.ref, request);
  if (why === "OtherName") reason += guessListener(listeners, request.sectionName ?? "");
  if (relevant > 1) reason += "; its other listeners do not accept it either";
  refuse(draft, { field: fieldText(draft, ask.field, ask.index), code: codeOf(why), reason, parent: owner.ref });
}

function guessListener(listeners: readonly Listener[], sectionName: string): string {
  const names = listeners.map(({ declaredName }) => declaredName);
  const near = nearMiss(sectionName, names);
  return near === undefined ? "" : `; did you mean '${near}'?`;
}

function codeOf(acceptance: Acceptance): RefusalCode {
  switch (acceptance) {
    case "OtherName":
    case "OtherPort":
      return "NoMatchingParent";
    case "OtherHostname":
      return "NoMatchingListenerHostname";
    case "OtherKinds":
    case "OtherProtocol":
    case "OtherNamespaces":
    case "Accepted":
      return "NotAllowedByListeners";
  }
}

/** GEP-1713: a Gateway takes no ListenerSets unless it says so. */
function addGateway(draft: LinkDraft, ask: Ask, gateway: KubeObject): void {
  const allowed = allowedNamespaces(ALLOWED_LISTENERS.read(gateway.raw), "None");
  const { kind, namespace } = draft.object.ref;
  const { ref: parent, id } = gateway;
  if (isNamespaceAllowed(allowed, parent.namespace, namespace, labelsFor(draft, { namespaces: allowed }))) {
    addUp(draft, { order: -1, link: { parent: id } });
    return;
  }
  const reason = `${displayRef(parent)} ${describeAllowed(allowed, parent.namespace, namespace, `${kind}s`)}`;
  refuse(draft, { field: fieldText(draft, ask.field, ask.index), code: "NotAllowed", reason, parent });
}

const ALLOWED_LISTENERS = keyPath("spec.allowedListeners.namespaces");

/** GEP-1294: producer routes live beside the Service, consumer routes elsewhere; neither needs a grant. */
function addFrontend(draft: LinkDraft, ask: Ask, frontend: KubeObject, target: RefTarget): void {
  const { sectionName, port } = requestOf(draft, ask.ref);
  const { ref: parent, id } = frontend;
  const unnarrowed = sectionName === undefined && port === undefined;
  if (unnarrowed || sectionsOf(frontend, target.facts).some(({ raw }) => isPort(raw, sectionName, port))) {
    addUp(draft, { order: -1, link: { parent: id, frontend: true } });
    return;
  }
  const asked = `${sectionName === undefined ? "" : ` '${sectionName}'`}${port === undefined ? "" : ` ${port}`}`;
  const reason = `${displayRef(parent)} has no port${asked}`;
  refuse(draft, { field: fieldText(draft, ask.field, ask.index), code: "NoMatchingParent", reason, parent });
}

const isPort = (raw: JsonObject, name: string | undefined, port: number | undefined): boolean =>
  (name === undefined || raw["name"] === name) && (port === undefined || raw["port"] === port);

const fieldText = ({ object }: LinkDraft, { path }: RefField, index: number): string =>
  isJsonList(path.read(object.raw)) ? `${path.text}[${index}]` : path.text;

function refuseAbsent(draft: LinkDraft, field: string, named: NamedObject): void {
  const parent: ObjectRef = refOf(named);
  draft.absentParents ??= [];
  draft.absentParents.push(parent);
  refuse(draft, { field, code: "ParentNotFound", reason: describeMissing(draft.context, named), parent });
}

function refuseItself(draft: LinkDraft, field: string, named: NamedObject): void {
  const parent = refOf(named);
  refuse(draft, { field, code: "SelfReference", reason: `${displayRef(parent)} names itself as its parent`, parent });
}

function refuseForbidden(draft: LinkDraft, field: string, named: NamedObject): void {
  refuse(draft, { field, code: "RefNotPermitted", reason: describeForbidden(draft, named), parent: refOf(named) });
}

function refuseMalformed(draft: LinkDraft, field: string, target: RefTarget | undefined): void {
  refuse(draft, { field, code: "InvalidRef", reason: `${field} must name a ${target?.facts.kind ?? "parent"}` });
}
