/** Gateway API, "GatewayStatus.addresses" and "GatewayConditionProgrammed" */
import { describe, expect, test } from "vitest";
import { gateway } from "../../../test/support/cluster/gateway-objects.ts";
import { type JsonObject, objectAt } from "../model/json.ts";
import { buildSnapshot, tablesOf } from "../model/snapshot.ts";
import { infrastructureState, type ObservedInfrastructure } from "./infrastructure-state.ts";

const metadata = { namespace: "prevail-system", name: "door-1" };
const deployment = (status: JsonObject): JsonObject => ({ kind: "Deployment", metadata, status });
const ready = deployment({ readyReplicas: 1 });
const service = (spec: JsonObject, status: JsonObject = {}): JsonObject => ({
  kind: "Service",
  metadata,
  spec,
  status,
});
const balanced = (...ingress: readonly JsonObject[]): JsonObject =>
  service({ type: "LoadBalancer", clusterIPs: ["10.0.0.1"] }, { loadBalancer: { ingress } });

function stateOf(observed: ObservedInfrastructure, ...asked: readonly string[]) {
  const plain = gateway("door");
  const addresses = asked.map((value) => ({ type: "IPAddress", ...(value === "" ? {} : { value }) }));
  const { objects } = tablesOf(buildSnapshot([{ ...plain, spec: { ...objectAt(plain, "spec"), addresses } }]));
  const [found] = objects.ofKind("Gateway.gateway.networking.k8s.io" as Parameters<typeof objects.ofKind>[0]);
  if (found === undefined) throw new Error("there is no Gateway");
  const state = infrastructureState(found, observed);
  return state.state === "Ready" ? state.addresses : `${state.state}: ${state.message}`;
}

const ip = (value: string) => ({ type: "IPAddress", value });

describe("a Gateway", () => {
  for (const [name, observed, asked, expected] of [
    [
      "has the addresses of its load balancer",
      { deployment: ready, service: balanced({ ip: "192.0.2.1" }, { hostname: "a.example" }) },
      [],
      [ip("192.0.2.1"), { type: "Hostname", value: "a.example" }],
    ],
    [
      "has the IP addresses of a Service in the cluster",
      { deployment: ready, service: service({ type: "ClusterIP", clusterIPs: ["10.0.0.1", "fd00::1"] }) },
      [],
      [ip("10.0.0.1"), ip("fd00::1")],
    ],
    [
      "has the IP addresses of a Service with node ports",
      { deployment: ready, service: service({ type: "NodePort", clusterIPs: ["10.0.0.1"] }) },
      [],
      [ip("10.0.0.1")],
    ],
    [
      "waits for the load balancer",
      { deployment: ready, service: balanced() },
      [],
      "AddressNotAssigned: Service prevail-system/door-1 of type LoadBalancer has no address yet",
    ],
    [
      "without an address in a headless Service",
      { deployment: ready, service: service({ type: "ClusterIP", clusterIPs: ["None"] }) },
      [],
      "AddressNotAssigned: Service prevail-system/door-1 of type ClusterIP has no address yet",
    ],
    [
      "has the address that it asks for",
      { deployment: ready, service: balanced({ ip: "192.0.2.7" }) },
      ["192.0.2.7"],
      [ip("192.0.2.7")],
    ],
    [
      "that asks for any address has the assigned one",
      { deployment: ready, service: balanced({ ip: "192.0.2.1" }) },
      [""],
      [ip("192.0.2.1")],
    ],
    [
      "gets another address than it asks for",
      { deployment: ready, service: balanced({ ip: "192.0.2.1" }) },
      ["192.0.2.7"],
      "AddressNotUsable: the load balancer has assigned 192.0.2.1, and not 192.0.2.7",
    ],
    [
      "asks for several addresses",
      { deployment: ready, service: balanced() },
      ["192.0.2.7", "192.0.2.8"],
      "AddressNotUsable: spec.addresses has several; one is supported",
    ],
    [
      "asks for an address of a Service that has no load balancer",
      { deployment: ready, service: service({ type: "ClusterIP", clusterIPs: ["10.0.0.1"] }) },
      ["10.0.0.1"],
      "AddressNotUsable: the address 10.0.0.1 can be asked for with a Service of type LoadBalancer only, and it is ClusterIP",
    ],
    [
      "without a ready Pod says what the Deployment says",
      {
        deployment: deployment({
          conditions: [
            { type: "Progressing", status: "True", message: "fine" },
            { type: "ReplicaFailure", status: "True", message: "exceeded quota" },
          ],
        }),
        service: balanced({ ip: "192.0.2.1" }),
      },
      [],
      "Unready: no Pod of Deployment prevail-system/door-1 is ready: exceeded quota",
    ],
    [
      "whose objects are not there",
      { deployment: undefined, service: undefined },
      [],
      "Unready: the objects of the Gateway are not there yet",
    ],
    [
      "whose objects cannot be written says why",
      { deployment: ready, service: balanced({ ip: "192.0.2.1" }), problem: "forbidden" },
      [],
      "Unready: forbidden",
    ],
  ] as const satisfies readonly (readonly [string, ObservedInfrastructure, readonly string[], unknown])[]) {
    test(name, () => expect(stateOf(observed, ...asked)).toEqual(expected));
  }
});
