/** The endpoints of a Service, from its EndpointSlices, or in files from its annotation. */
import { isJsonList, isJsonObject, type Json, type JsonObject, objectsIn } from "../../model/json.ts";
import { annotationOf, type KubeObject, labelsOf } from "../../model/kube-object.ts";
import { compareText, type ObjectId, objectId } from "../../model/refs.ts";
import type { ConfigProblem, Endpoint } from "../gateway-config.ts";
import { isIpAddress, parseEndpoints } from "./parse-endpoints.ts";

const ENDPOINTS_ANNOTATION = "prevail.dev/endpoints";
const SERVICE_NAME = "kubernetes.io/service-name";

/**
 * The use of the annotation `prevail.dev/endpoints` of a Service. In a cluster it must not be: it would let the author of a Service
 * reach any address that the gateway can reach.
 *
 * @example
 * ```ts
 * const options: EndpointOptions = { endpointAnnotations: "Used" };
 * console.log(compileDataplane(evaluation, options).endpoints.size);
 * ```
 */
export interface EndpointOptions {
  readonly endpointAnnotations: "Used" | "Ignored";
}

export interface FoundEndpoints {
  /** Sorted, without duplicates. */
  readonly endpoints: readonly Endpoint[];
  readonly problems: readonly ConfigProblem[];
}

/** The Service of an EndpointSlice, which may not exist. */
export function serviceOfSlice(slice: KubeObject): ObjectId | undefined {
  const name = labelsOf(slice)[SERVICE_NAME];
  if (typeof name !== "string" || name === "") return undefined;
  return objectId({ group: "", kind: "Service", namespace: slice.ref.namespace, name });
}

/** `slices` are the EndpointSlices of the Service. */
export function endpointsOf(
  service: KubeObject,
  port: JsonObject,
  slices: readonly KubeObject[],
  { endpointAnnotations }: EndpointOptions,
): FoundEndpoints {
  const annotation = annotationOf(service, ENDPOINTS_ANNOTATION);
  const problems: ConfigProblem[] = [];
  if (annotation === undefined)
    return { endpoints: usable(slices.flatMap((one) => inSlice(one, port, problems))), problems };
  const field = `metadata.annotations["${ENDPOINTS_ANNOTATION}"]`;
  if (endpointAnnotations === "Ignored") {
    const message = "the annotation is ignored, because it is used for files only: endpoints come from EndpointSlices";
    const found = slices.flatMap((one) => inSlice(one, port, problems));
    return { endpoints: usable(found), problems: [...problems, { object: service.ref, field, message }] };
  }
  const parsed = parseEndpoints(annotation);
  if (parsed.state === "endpoints") return { endpoints: inOrder(parsed.endpoints), problems };
  return {
    endpoints: [],
    problems: [{ object: service.ref, field, message: `${parsed.message}. The backend has no endpoints` }],
  };
}

/** An endpoint of a slice. `Terminating`: it is not ready, but it still serves. */
interface SliceEndpoint extends Endpoint {
  readonly state: "Ready" | "Terminating";
}

/** The endpoints that get requests: those that are ready. If there are none, those that terminate and still serve: the last Pods of a Service that is replaced. */
function usable(found: readonly SliceEndpoint[]): readonly Endpoint[] {
  const ready = found.filter(({ state }) => state === "Ready");
  return inOrder((ready.length > 0 ? ready : found).map(({ address, port }) => ({ address, port })));
}

function inSlice(slice: KubeObject, port: JsonObject, problems: ConfigProblem[]): readonly SliceEndpoint[] {
  // Kubernetes deprecates FQDN slices.
  if (slice.raw["addressType"] === "FQDN") {
    const message = "only IPv4 and IPv6 addresses are supported: these endpoints are ignored";
    problems.push({ object: slice.ref, field: "addressType", message });
    return [];
  }
  const number = portIn(slice.raw["ports"], port);
  if (number === undefined) return [];
  return objectsIn(slice.raw["endpoints"]).flatMap((endpoint, index) => {
    const state = stateOf(endpoint);
    if (state === undefined) return [];
    const [address] = listOf(endpoint["addresses"]);
    if (typeof address === "string" && isIpAddress(address)) return [{ address, port: number, state }];
    const field = `endpoints[${index}].addresses[0]`;
    problems.push({
      object: slice.ref,
      field,
      message: `${JSON.stringify(address ?? null)} is not an IP address: the endpoint is ignored`,
    });
    return [];
  });
}

/** Undefined: it serves nothing. An endpoint without the condition `ready` counts as ready. */
function stateOf({ conditions }: JsonObject): SliceEndpoint["state"] | undefined {
  if (!isJsonObject(conditions) || conditions["ready"] !== false) return "Ready";
  return conditions["serving"] === true && conditions["terminating"] === true ? "Terminating" : undefined;
}

/** The slice's port with the name of the Service's port. In hand-written files an unnamed port is found by its number. */
function portIn(ports: Json | undefined, { name, port, targetPort, protocol = "TCP" }: JsonObject): number | undefined {
  const listed = objectsIn(ports).filter((one) => (one["protocol"] ?? "TCP") === protocol);
  const wanted = typeof targetPort === "number" ? targetPort : port;
  const found =
    listed.find((one) => (one["name"] ?? "") === (name ?? "")) ??
    listed.find((one) => (one["name"] ?? "") === "" && one["port"] === wanted);
  if (found === undefined) return undefined;
  const number = found["port"] ?? wanted;
  return typeof number === "number" && number > 0 ? number : undefined;
}

const listOf = (value: Json | undefined): readonly Json[] => (isJsonList(value) ? value : []);

function inOrder(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const sorted = [...endpoints].sort((a, b) => compareText(a.address, b.address) || a.port - b.port);
  return sorted.filter(({ address, port }, at) => address !== sorted[at - 1]?.address || port !== sorted[at - 1]?.port);
}
