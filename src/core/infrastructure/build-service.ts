/** The Service of a Gateway: where clients connect. */
import { type JsonObject, objectAt, objectsIn, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { ListenerPort, ObjectMetadata } from "./infrastructure-types.ts";
import { selectorOf } from "./object-names.ts";
import type { ServiceType } from "./parse-gateway-parameters.ts";

export function buildService(
  metadata: ObjectMetadata,
  gateway: KubeObject,
  ports: readonly ListenerPort[],
  targets: ReadonlyMap<number, number>,
  type: ServiceType,
): JsonObject {
  const asked = type === "LoadBalancer" ? askedAddresses(gateway)[0] : undefined;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata },
    spec: {
      type,
      selector: selectorOf(gateway.ref),
      ports: ports.map(({ port, transport }) => ({
        name: `${transport.toLowerCase()}-${port}`,
        port,
        protocol: transport,
        targetPort: targets.get(port) ?? port,
      })),
      ...(asked === undefined ? {} : { loadBalancerIP: asked }),
    },
  };
}

/** The IP addresses that a Gateway asks for. An entry without a value asks for any. */
export const askedAddresses = ({ raw }: KubeObject): readonly string[] =>
  objectsIn(ownValue(objectAt(raw, "spec"), "addresses")).flatMap(({ value }) =>
    typeof value === "string" && value !== "" ? [value] : [],
  );
