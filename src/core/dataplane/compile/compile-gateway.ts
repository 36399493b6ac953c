/** Compiles a Gateway and its ListenerSets: the listeners that are served, and their certificates. Routes are added later. */
import { gatewayListeners } from "../../effective/world/gateway-listeners.ts";
import type { World } from "../../effective/world/world.ts";
import { isJsonList, isJsonObject, type JsonObject, objectAt, textAt } from "../../model/json.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import {
  formatRef,
  kindId,
  type ObjectId,
  type ObjectRef,
  objectId,
  type TargetId,
  targetId,
} from "../../model/refs.ts";
import type { OwnedListener } from "../../topology/distinct-listeners.ts";
import type { Listener } from "../../topology/listeners-of.ts";
import { isReferencePermitted } from "../../topology/reference-grants.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import type { ConfigProblem, GatewayConfig, ListenerConfig, PortConfig } from "../gateway-config.ts";
import { type ClientCertificates, clientCertificates } from "./client-certificates.ts";
import { ignoredOfGateway, ignoredOptions } from "./ignored-settings.ts";

export interface CompiledListener {
  readonly id: TargetId;
  readonly port: number;
  /** The protocol of the port. */
  readonly protocol: PortConfig["protocol"];
  readonly head: Omit<ListenerConfig, "virtualHosts">;
}

export interface CompiledGateway {
  readonly head: Omit<GatewayConfig, "ports">;
  /** Sorted by port; on one port the more specific hostname first. */
  readonly listeners: readonly CompiledListener[];
  /** The Gateway and its ListenerSets. */
  readonly owners: readonly ObjectId[];
  readonly gatewayClass: ObjectId;
  /** The ConfigMaps and Secrets that its client certificates are in. */
  readonly named: readonly ObjectId[];
  /** The namespaces whose ReferenceGrants it depends on. */
  readonly grantsOf: readonly string[];
  readonly problems: readonly ConfigProblem[];
  /** The listeners that are accepted but not served, with the reason. */
  readonly unserved: ReadonlyMap<TargetId, string>;
}

export function compileGateway(world: World, gateway: KubeObject): CompiledGateway {
  const { accepted, refused } = gatewayListeners(world, gateway);
  const clients = clientCertificates(world, gateway);
  const draft: GatewayDraft = {
    world,
    clients,
    grantsOf: new Set(clients.grantsOf),
    problems: [...ignoredOfGateway(gateway), ...clients.problems],
    unserved: new Map(),
  };
  for (const owned of refused) note(draft, owned, "", `${owned.why}: the listener is not served`);
  const listeners = accepted.flatMap((owned) => compileListener(draft, owned));
  const className = textAt(specOf(gateway), "gatewayClassName");
  const gatewayClass = objectId({ group: GATEWAY_API, kind: "GatewayClass", namespace: "", name: className });
  const controllerName = textAt(specOf(world.objects.get(gatewayClass)), "controllerName");
  return {
    head: {
      gateway: gateway.ref,
      className,
      controllerName: controllerName === "" ? undefined : controllerName,
      clientCertificate: clients.own,
    },
    listeners,
    owners: [...new Set([...accepted, ...refused].map(({ owner }) => owner.id).concat(gateway.id))],
    gatewayClass,
    named: clients.named,
    grantsOf: [...draft.grantsOf],
    problems: draft.problems,
    unserved: draft.unserved,
  };
}

interface GatewayDraft {
  readonly world: World;
  readonly clients: ClientCertificates;
  readonly grantsOf: Set<string>;
  readonly problems: ConfigProblem[];
  readonly unserved: Map<TargetId, string>;
}

function note(draft: GatewayDraft, { owner, listener }: OwnedListener, field: string, message: string): void {
  const at = `spec.listeners[${indexOf(draft.world, owner, listener.order)}]`;
  draft.problems.push({ object: owner.ref, field: field === "" ? at : `${at}.${field}`, message });
}

const sectionAt = ({ rulebook }: World, owner: KubeObject, order: number) => {
  const facts = rulebook.factsOf(kindId(owner.ref));
  return facts === undefined ? undefined : sectionsOf(owner, facts)[order];
};

const indexOf = (world: World, owner: KubeObject, order: number): number =>
  sectionAt(world, owner, order)?.index ?? order;

/** Empty: the listener is not served, and the problem is reported. */
function compileListener(draft: GatewayDraft, owned: OwnedListener): readonly CompiledListener[] {
  const { owner, listener } = owned;
  const raw = sectionAt(draft.world, owner, listener.order)?.raw ?? {};
  const { port, name, hostname } = listener;
  const notServed = (field: string, reason: string): readonly CompiledListener[] => {
    note(draft, owned, field, `${reason}: the listener is not served`);
    draft.unserved.set(targetId(owner.id, listener.name), reason);
    return [];
  };
  const protocol = SERVED.find((one) => one === listener.protocol);
  if (protocol === undefined)
    return notServed("protocol", `protocol ${listener.protocol} is not supported, only ${SERVED.join(", ")}`);
  if (port === undefined || port === 0) return notServed("port", "the listener has no port");
  // Serving the listener without its filters could bypass them.
  if (isJsonObject(raw["filters"])) return notServed("filters", "filters of listeners are not supported");
  const index = indexOf(draft.world, owner, listener.order);
  draft.problems.push(
    ...ignoredOptions(owner.ref, `spec.listeners[${index}].tls.options`, objectAt(raw, "tls")["options"]),
  );
  const tls = tlsMode(protocol, listener);
  const certificates = tls === "Terminate" ? certificatesOf(draft, owned, raw) : [];
  if (typeof certificates === "string") return notServed("tls", certificates);
  const validation = protocol === "HTTPS" ? draft.clients.validationAt(port) : undefined;
  if (validation?.state === "impossible") return notServed("tls", validation.reason);
  const clients = validation?.state === "validated" ? validation.clients : undefined;
  const head = { owner: owner.ref, name, protocol, hostname, tls, certificates, clients };
  return [{ id: targetId(owner.id, name), port, protocol: PORT_PROTOCOLS[protocol], head }];
}

/** The protocols of listeners, and of their ports: HTTPS and TLS listeners can share one. */
const PORT_PROTOCOLS: Readonly<Record<ListenerConfig["protocol"], PortConfig["protocol"]>> = {
  HTTP: "HTTP",
  HTTPS: "TLS",
  TLS: "TLS",
  TCP: "TCP",
  UDP: "UDP",
};
const SERVED: readonly ListenerConfig["protocol"][] = ["HTTP", "HTTPS", "TLS", "TCP", "UDP"];

function tlsMode(protocol: ListenerConfig["protocol"], { isPassthrough }: Listener): ListenerConfig["tls"] {
  if (protocol === "TLS" && isPassthrough) return "Passthrough";
  return protocol === "TLS" || protocol === "HTTPS" ? "Terminate" : undefined;
}

/** Returns a text with the reason if the listener cannot be served. */
function certificatesOf(draft: GatewayDraft, owned: OwnedListener, raw: JsonObject): readonly ObjectRef[] | string {
  const tls = objectAt(raw, "tls");
  if (tls["mode"] === "Passthrough") return "tls.mode Passthrough is not allowed for an HTTPS listener";
  const refs = tls["certificateRefs"];
  const usable = (isJsonList(refs) ? refs : []).flatMap((ref, index) => {
    const found = certificateOf(draft, owned.owner, isJsonObject(ref) ? ref : {});
    if (typeof found !== "string") return [found];
    note(draft, owned, `tls.certificateRefs[${index}]`, `${found}: the certificate is ignored`);
    return [];
  });
  return usable.length === 0 ? "no certificate can be used" : usable;
}

function certificateOf(
  { world, grantsOf }: GatewayDraft,
  { ref: from }: KubeObject,
  { group = "", kind = "Secret", name, namespace }: JsonObject,
): ObjectRef | string {
  if (group !== "" || kind !== "Secret" || typeof name !== "string")
    return "only Secrets are supported as certificates";
  const home = typeof namespace === "string" && namespace !== "" ? namespace : from.namespace;
  const to: ObjectRef = { group, kind, namespace: home, name };
  if (home === from.namespace) return to;
  grantsOf.add(home);
  if (isReferencePermitted(from, to, (own) => world.grants.get(own) ?? [])) return to;
  return `${formatRef(from)} may not refer to ${formatRef(to)}: no ReferenceGrant in namespace '${home}' allows it from ${from.kind} in namespace '${from.namespace}'`;
}

const specOf = (object: KubeObject | undefined): JsonObject =>
  object === undefined ? {} : objectAt(object.raw, "spec");
