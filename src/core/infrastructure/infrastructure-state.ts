/** The addresses and the Envoys of a Gateway, as its objects in the cluster report them. */
import { type JsonObject, objectAt, objectsIn, ownValue, textOf, textsIn } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { askedAddresses } from "./build-service.ts";

/** The objects as they are in the cluster. */
export interface ObservedInfrastructure {
  readonly service: JsonObject | undefined;
  readonly deployment: JsonObject | undefined;
  /** Why the objects could not be written. */
  readonly problem?: string | undefined;
}

/**
 * The state of the infrastructure of a Gateway:
 * - `Ready`: an Envoy is ready, and clients can connect to these addresses.
 * - `Unready`: it may have addresses, but no Envoy is ready.
 * - the others have the reason that Gateway API has for the condition Programmed.
 */
export type InfrastructureState =
  | { readonly state: "Ready"; readonly addresses: readonly JsonObject[] }
  | { readonly state: "Unready"; readonly message: string }
  | { readonly state: "AddressNotAssigned" | "AddressNotUsable"; readonly message: string };

/**
 * Addresses of a Gateway
 *
 * A Gateway has the addresses of its Service: the ingress points of a load balancer, else the IP addresses of the Service in the cluster. A
 * Gateway that asks for an address needs a load balancer that assigns it.
 * Gateway API, "GatewayStatus.addresses"
 */
export function infrastructureState(
  gateway: KubeObject,
  { service, deployment, problem }: ObservedInfrastructure,
): InfrastructureState {
  if (problem !== undefined) return { state: "Unready", message: problem };
  if (deployment === undefined || service === undefined)
    return { state: "Unready", message: "the objects of the Gateway are not there yet" };
  const addresses = addressesOf(service);
  const unusable = unusableAddress(gateway, service, addresses);
  if (unusable !== undefined) return { state: "AddressNotUsable", message: unusable };
  if (addresses.length === 0)
    return {
      state: "AddressNotAssigned",
      message: `Service ${nameOf(service)} of type ${typeOf(service)} has no address yet`,
    };
  const ready = ownValue(objectAt(deployment, "status"), "readyReplicas");
  if (typeof ready === "number" && ready > 0) return { state: "Ready", addresses };
  return { state: "Unready", message: `no Pod of Deployment ${nameOf(deployment)} is ready${whyUnready(deployment)}` };
}

function addressesOf(service: JsonObject): readonly JsonObject[] {
  if (typeOf(service) !== "LoadBalancer")
    return textsIn(ownValue(objectAt(service, "spec"), "clusterIPs"))
      .filter((address) => address !== "None")
      .map((value) => ({ type: "IPAddress", value }));
  return objectsIn(objectAt(objectAt(service, "status"), "loadBalancer")["ingress"]).flatMap(
    ({ ip, hostname }): readonly JsonObject[] => {
      if (typeof ip === "string" && ip !== "") return [{ type: "IPAddress", value: ip }];
      return typeof hostname === "string" && hostname !== "" ? [{ type: "Hostname", value: hostname }] : [];
    },
  );
}

function unusableAddress(
  gateway: KubeObject,
  service: JsonObject,
  addresses: readonly JsonObject[],
): string | undefined {
  const asked = askedAddresses(gateway);
  const [first] = asked;
  if (first === undefined) return undefined;
  if (asked.length > 1) return "spec.addresses has several; one is supported";
  if (typeOf(service) !== "LoadBalancer")
    return `the address ${first} can be asked for with a Service of type LoadBalancer only, and it is ${typeOf(service)}`;
  if (addresses.length === 0 || addresses.some(({ value }) => value === first)) return undefined;
  return `the load balancer has assigned ${addresses.map(({ value }) => textOf(value)).join(", ")}, and not ${first}`;
}

/** The message of the condition because of which the Deployment is not ready. */
function whyUnready(deployment: JsonObject): string {
  const conditions = objectsIn(ownValue(objectAt(deployment, "status"), "conditions"));
  const found = ["ReplicaFailure", "Progressing"]
    .map((type) => conditions.find((one) => one["type"] === type))
    .find((one) => one !== undefined && (one["type"] === "ReplicaFailure" || one["status"] === "False"));
  const message = found?.["message"];
  return typeof message === "string" && message !== "" ? `: ${message}` : "";
}

const typeOf = (service: JsonObject): string => textOf(ownValue(objectAt(service, "spec"), "type")) || "ClusterIP";

function nameOf(object: JsonObject): string {
  const { namespace, name } = objectAt(object, "metadata");
  return `${textOf(namespace)}/${textOf(name)}`;
}
