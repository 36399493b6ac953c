/**
 * Gateway API, "GatewaySpec.infrastructure"
 * Gateway API, "GatewayInfrastructure.annotations"
 * Kubernetes, "Pod Security Standards"
 */
import { describe, expect, test } from "vitest";
import { gateway, gatewayClass, listener, listenerSet } from "../../../test/support/cluster/gateway-objects.ts";
import { evaluate } from "../evaluate.ts";
import { worldOf } from "../evaluation.ts";
import { type Json, type JsonObject, objectAt, objectsIn } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import { objectId } from "../model/refs.ts";
import { buildSnapshot } from "../model/snapshot.ts";
import { desiredInfrastructure } from "./desired-infrastructure.ts";
import { parametersOfGateway } from "./gateway-parameters.ts";
import type { InfrastructureSettings } from "./infrastructure-types.ts";

const settings: InfrastructureSettings = {
  controllerName: "prevail.dev/gateway",
  namespace: "prevail-system",
  image: "envoy:1",
  portMode: "Shifted",
  infrastructureKeys: [],
};

interface Sketch {
  readonly listeners?: readonly JsonObject[];
  /** Fields of the Gateway's spec. */
  readonly spec?: JsonObject;
  readonly ofClass?: JsonObject;
  readonly ofGateway?: JsonObject;
  readonly others?: readonly JsonObject[];
  readonly bootstrap?: string;
  /** The controller has a maximum for parameters of Gateways. */
  readonly hasMaximum?: boolean;
}

const parametersRef = (name: string, more: JsonObject = {}): JsonObject => ({
  parametersRef: { group: "prevail.dev", kind: "GatewayParameters", name, ...more },
});
const parameters = (name: string, namespace: string, spec: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "GatewayParameters",
  metadata: { name, namespace },
  spec,
});

/** The objects of one Gateway by kind, or why they are not known. */
function build(sketch: Sketch = {}, with_: Partial<InfrastructureSettings> = {}) {
  const {
    listeners = [listener("http")],
    spec = {},
    ofClass,
    ofGateway,
    others = [],
    bootstrap = "a",
    hasMaximum,
  } = sketch;
  const plain = gateway("door", { listeners });
  const infrastructure = {
    ...objectAt(spec, "infrastructure"),
    ...(ofGateway === undefined ? {} : parametersRef("own")),
  };
  const house = gatewayClass("class", "prevail.dev/gateway");
  const snapshot = buildSnapshot([
    {
      ...house,
      spec: {
        ...objectAt(house, "spec"),
        ...(ofClass === undefined ? {} : parametersRef("house", { namespace: "infra" })),
      },
    },
    { ...plain, spec: { ...objectAt(plain, "spec"), ...spec, infrastructure } },
    ...(ofClass === undefined ? [] : [parameters("house", "infra", ofClass)]),
    ...(ofGateway === undefined ? [] : [parameters("own", "default", ofGateway)]),
    ...others,
  ]);
  const world = worldOf(evaluate(snapshot));
  const object = world.objects.get(
    objectId({ group: GATEWAY_API, kind: "Gateway", namespace: "default", name: "door" }),
  );
  if (object === undefined) throw new Error("there is no Gateway");
  const maximum = { replicas: 5, resources: { cpu: "4", memory: "8Gi" } };
  const found = parametersOfGateway(world, object, {
    gatewaysMaySetAll: false,
    ...(hasMaximum === true ? { maximum } : {}),
  });
  if ("problem" in found)
    return { problem: found.problem, objects: new Map<string, JsonObject>(), secretMetadata: undefined };
  const request = { gateway: object.ref, parameters: found.parameters, bootstrap: { "envoy.json": bootstrap } };
  const { objects, secretMetadata } = desiredInfrastructure(world, object, request, { ...settings, ...with_ });
  return { problem: undefined, objects: new Map(objects.map((one) => [textAt(one, "kind"), one])), secretMetadata };
}

const at = (object: JsonObject | undefined, path: string): Json | undefined =>
  path.split(".").reduce<Json | undefined>((value, key) => {
    if (Array.isArray(value)) return (value as readonly Json[])[Number(key)];
    return typeof value === "object" && value !== null ? (value as JsonObject)[key] : undefined;
  }, object);

const textAt = (object: JsonObject, key: string): string => {
  const value = object[key];
  return typeof value === "string" ? value : "";
};

const POD = "spec.template.spec";

describe("the objects of a Gateway", () => {
  test("are in the namespace of the controller, name their Gateway, and are ordered as Pods need them", () => {
    const { objects } = build();
    expect([...objects.keys()]).toEqual(["ServiceAccount", "ConfigMap", "Deployment", "Service"]);
    for (const object of objects.values()) {
      expect(at(object, "metadata.namespace")).toBe("prevail-system");
      expect(objectAt(objectAt(object, "metadata"), "annotations")["prevail.dev/gateway"]).toBe("default/door");
      expect(objectAt(objectAt(object, "metadata"), "labels")["gateway.networking.k8s.io/gateway-name"]).toBe("door");
    }
  });

  test("Pods are restricted", () => {
    const deployment = build().objects.get("Deployment");
    expect(at(deployment, `${POD}.securityContext`)).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(at(deployment, `${POD}.containers.0.securityContext`)).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(at(deployment, `${POD}.automountServiceAccountToken`)).toBe(false);
    expect(at(deployment, `${POD}.securityContext.sysctls`)).toBeUndefined();
  });

  test("the Service has the ports of listeners and ListenerSets, and Pods open none below 1024", () => {
    const listeners = [
      listener("http", { port: 80, from: "All" }),
      listener("more", { port: 80, hostname: "a.example" }),
      listener("dns", { port: 53, protocol: "UDP" }),
      listener("dns-tcp", { port: 53, protocol: "TCP" }),
    ];
    const others = [listenerSet("set", "Gateway/door", { listeners: [listener("high", { port: 8080 })] })];
    const spec = { allowedListeners: { namespaces: { from: "Same" } } };
    const { objects } = build({ listeners, others, spec });
    expect(at(objects.get("Service"), "spec.ports")).toEqual([
      { name: "tcp-53", port: 53, protocol: "TCP", targetPort: 10_053 },
      { name: "udp-53", port: 53, protocol: "UDP", targetPort: 10_053 },
      { name: "tcp-80", port: 80, protocol: "TCP", targetPort: 10_080 },
      { name: "tcp-8080", port: 8080, protocol: "TCP", targetPort: 8080 },
    ]);
  });

  test("where Pods open ports as listeners have them, a sysctl that restricted Pods may have allows it", () => {
    const { objects } = build({}, { portMode: "AsListeners" });
    expect(at(objects.get("Service"), "spec.ports.0.targetPort")).toBe(80);
    expect(at(objects.get("Deployment"), `${POD}.securityContext.sysctls`)).toEqual([
      { name: "net.ipv4.ip_unprivileged_port_start", value: "0" },
    ]);
  });

  test("another listener changes the Service and no Pod", () => {
    const [one, two] = [build(), build({ listeners: [listener("http"), listener("more", { port: 8080 })] })];
    expect(two.objects.get("Deployment")).toEqual(one.objects.get("Deployment"));
    expect(two.objects.get("Service")).not.toEqual(one.objects.get("Service"));
  });

  test("another bootstrap replaces the Pods", () => {
    const [one, two] = [build(), build({ bootstrap: "b" })].map(({ objects }) =>
      at(objects.get("Deployment"), "spec.template.metadata.annotations"),
    );
    expect(one).not.toEqual(two);
  });

  test("a Gateway without a valid listener has no Service", () => {
    const listeners = [listener("a", { protocol: "example.com/odd" })];
    expect([...build({ listeners }).objects.keys()]).toEqual(["ServiceAccount", "ConfigMap", "Deployment"]);
  });

  test("spec.infrastructure: labels and annotations are on every object but the Secret, and on Pods, except the controller's own keys", () => {
    const infrastructure = {
      labels: { team: "bakery", "app.kubernetes.io/component": "controller", "prevail.dev/infrastructure": "other" },
      annotations: { note: "one", "prevail.dev/gateway": "other/door" },
    };
    const { objects, secretMetadata } = build({ spec: { infrastructure } });
    // A tenant with a Gateway could have its Secret copied to a namespace of their own.
    expect(JSON.stringify(secretMetadata)).not.toMatch(/team|note/);
    expect(secretMetadata).toMatchObject({ annotations: { "prevail.dev/gateway": "default/door" } });
    const deployment = objects.get("Deployment");
    for (const metadata of [
      ...Array.from(objects.values(), (object) => objectAt(object, "metadata")),
      at(deployment, "spec.template.metadata") as JsonObject,
    ]) {
      expect(objectAt(metadata, "labels")).toMatchObject({ team: "bakery", "app.kubernetes.io/component": "gateway" });
      expect(objectAt(metadata, "annotations")).toMatchObject({ note: "one", "prevail.dev/gateway": "default/door" });
    }
    const selector = at(deployment, "spec.selector.matchLabels") as JsonObject;
    expect(at(deployment, "spec.template.metadata.labels")).toMatchObject(selector);
    expect(Object.keys(selector)).toEqual(["prevail.dev/infrastructure"]);
    expect(selector["prevail.dev/infrastructure"]).not.toBe("other");
  });

  test.each<[readonly string[], readonly string[]]>([
    [[], ["note"]],
    [["mesh.example/volumes"], ["mesh.example/volumes", "note"]],
    [["dns.example/*"], ["dns.example/host", "note"]],
    [["*"], ["dns.example/host", "mesh.example/volumes", "note"]],
    // A prefix is a whole one.
    [["dns.example", "ns.example/*", "mesh.example/vol"], ["note"]],
  ])("keys with a prefix are left out unless the controller allows them: %j", (infrastructureKeys, expected) => {
    const given = { note: "a", "dns.example/host": "b", "mesh.example/volumes": "c", "prevail.dev/gateway": "d" };
    const infrastructure = { labels: given, annotations: given };
    const { objects } = build({ spec: { infrastructure } }, { infrastructureKeys });
    for (const path of ["metadata", "spec.template.metadata"])
      for (const field of ["labels", "annotations"]) {
        const found = at(objects.get("Deployment"), `${path}.${field}`) as JsonObject;
        const foreign = Object.keys(found).filter(
          (key) => !/^(prevail\.dev|app\.kubernetes\.io|gateway\.networking\.k8s\.io)\//.test(key),
        );
        expect(foreign.toSorted()).toEqual(expected);
      }
  });

  test("an address is asked of the load balancer", () => {
    const spec = { addresses: [{ type: "IPAddress", value: "192.0.2.7" }] };
    expect(at(build({ spec }).objects.get("Service"), "spec.loadBalancerIP")).toBe("192.0.2.7");
    const { objects } = build({ spec, ofClass: { service: { type: "ClusterIP" } } });
    expect(at(objects.get("Service"), "spec.loadBalancerIP")).toBeUndefined();
  });
});

describe("GatewayParameters", () => {
  test("replicas that are not set are not applied, and several have a PodDisruptionBudget", () => {
    expect(objectAt(build().objects.get("Deployment") ?? {}, "spec")).not.toHaveProperty("replicas");
    const { objects } = build({ ofGateway: { replicas: 3 } });
    expect(at(objects.get("Deployment"), "spec.replicas")).toBe(3);
    expect(at(objects.get("PodDisruptionBudget"), "spec.maxUnavailable")).toBe(1);
    expect(build({ ofGateway: { replicas: 1 } }).objects.has("PodDisruptionBudget")).toBe(false);
  });

  test("those of the class are defaults", () => {
    const ofClass = { replicas: 2, image: "envoy:2", service: { type: "ClusterIP" }, drainTimeout: "1m" };
    const { objects } = build({ ofClass, ofGateway: { replicas: 4, service: { type: "NodePort" } } });
    const deployment = objects.get("Deployment");
    expect(at(deployment, "spec.replicas")).toBe(4);
    expect(at(objects.get("Service"), "spec.type")).toBe("NodePort");
    expect(at(deployment, `${POD}.containers.0.image`)).toBe("envoy:2");
    expect(at(deployment, `${POD}.containers.0.lifecycle.preStop.sleep.seconds`)).toBe(60);
    expect(at(deployment, `${POD}.terminationGracePeriodSeconds`)).toBe(65);
  });

  test("connections of a removed listener end with their next response, and a Pod that ends serves before its end", () => {
    const deployment = build({ ofGateway: { drainTimeout: "20s" } }).objects.get("Deployment");
    const args = at(deployment, `${POD}.containers.0.args`) as readonly string[];
    expect(args.slice(args.indexOf("--drain-strategy"))[1]).toBe("immediate");
    expect(at(deployment, `${POD}.containers.0.lifecycle.preStop.sleep.seconds`)).toBe(20);
    expect(at(deployment, `${POD}.terminationGracePeriodSeconds`)).toBeGreaterThan(20);
  });

  test("a CPU limit is the number of workers", () => {
    const args = (cpu: string) =>
      at(
        build({ ofGateway: { resources: { limits: { cpu } } } }).objects.get("Deployment"),
        `${POD}.containers.0.args`,
      );
    expect(args("1500m")).toEqual(expect.arrayContaining(["--concurrency", "2"]));
    expect(args("100m")).toEqual(expect.arrayContaining(["--concurrency", "1"]));
    expect(args("1000000")).toEqual(expect.arrayContaining(["--concurrency", "128"]));
    expect(args("0.25e1")).toEqual(expect.arrayContaining(["--concurrency", "3"]));
  });

  test("patches change everything but what identifies the objects", () => {
    const deployment = {
      metadata: { name: "other", labels: { a: "b", "prevail.dev/infrastructure": "other" } },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { "prevail.dev/infrastructure": "other" } },
          spec: { nodeSelector: { pool: "edge" }, containers: [{ name: "envoy", env: [{ name: "A", value: "1" }] }] },
        },
      },
    };
    const service = { spec: { externalTrafficPolicy: "Local", selector: { a: "b" } } };
    const [plain, patched] = [build(), build({ ofClass: { patches: { deployment, service } } })].map(
      ({ objects }) => objects,
    );
    const [before, after] = [plain?.get("Deployment"), patched?.get("Deployment")];
    expect(at(after, `${POD}.nodeSelector`)).toEqual({ pool: "edge" });
    expect(objectsIn(at(after, `${POD}.containers.0.env`)).map(({ name }) => name)).toContain("A");
    expect(at(after, "metadata.labels.a")).toBe("b");
    for (const path of ["metadata.name", "spec.selector", "spec.template.metadata.labels"])
      expect(at(after, path)).toEqual(at(before, path));
    expect(at(patched?.get("Service"), "spec.externalTrafficPolicy")).toBe("Local");
    expect(at(patched?.get("Service"), "spec.selector")).toEqual(at(plain?.get("Service"), "spec.selector"));
  });

  test("the maximum is for parameters of Gateways: those of a GatewayClass may ask for more, and less is allowed", () => {
    const large = { replicas: 6, resources: { limits: { cpu: "9", "nvidia.com/gpu": 1 } } };
    expect(build({ ofClass: large, hasMaximum: true }).problem).toBeUndefined();
    const most = { replicas: 5, resources: { requests: { cpu: "4000m", memory: "8192Mi" } } };
    expect(build({ ofClass: large, ofGateway: most, hasMaximum: true }).problem).toBeUndefined();
  });

  const DEFAULT_RESOURCES = { requests: { cpu: "100m", memory: "256Mi" } };
  test.each<[string, JsonObject, JsonObject]>([
    [
      "the maximum is the limit where parameters of a Gateway have none, and nothing more is requested",
      { ofGateway: { resources: { requests: { cpu: "1" } } } },
      { requests: { cpu: "1", memory: "0" }, limits: { cpu: "4", memory: "8Gi" } },
    ],
    [
      "resources of a Gateway replace those of its class, and leave no limit out",
      { ofClass: { resources: { limits: { cpu: "1", memory: "1Gi" } } }, ofGateway: { resources: {} } },
      { requests: { cpu: "0", memory: "0" }, limits: { cpu: "4", memory: "8Gi" } },
    ],
    [
      "a limit that they have stays",
      { ofGateway: { resources: { limits: { cpu: "1", memory: "1Gi" } } } },
      { requests: {}, limits: { cpu: "1", memory: "1Gi" } },
    ],
    ["a Gateway without resources has those of its class", { ofGateway: { replicas: 1 } }, DEFAULT_RESOURCES],
    ["a class may do without limits", { ofClass: { resources: {} } }, {}],
  ])("%s", (_, sketch, expected) => {
    const { objects } = build({ ...sketch, hasMaximum: true });
    expect(at(objects.get("Deployment"), "spec.template.spec.containers.0.resources")).toEqual(expected);
  });

  for (const [name, sketch, problem] of [
    [
      "image and patches of a Gateway are refused: its author must not decide what runs in the namespace of the controller",
      { ofGateway: { patches: { deployment: {} } } },
      "spec.infrastructure.parametersRef: GatewayParameters default/own: spec.patches can be set for a GatewayClass only",
    ],
    ["image of a Gateway", { ofGateway: { image: "evil:1" } }, "spec.image can be set for a GatewayClass only"],
    [
      "a kind that is not supported",
      {
        spec: {
          infrastructure: { parametersRef: { group: "invalid.io", kind: "InvalidParameters", name: "invalid" } },
        },
      },
      "spec.infrastructure.parametersRef: InvalidParameters is not a supported kind; supported: GatewayParameters",
    ],
    [
      "parameters that do not exist",
      { spec: { infrastructure: parametersRef("none") } },
      "spec.infrastructure.parametersRef: there is no GatewayParameters default/none",
    ],
    [
      "an unknown type",
      { ofClass: { service: { type: "ExternalName" } } },
      "GatewayClass class: spec.parametersRef: GatewayParameters infra/house: spec.service.type is 'ExternalName'",
    ],
    [
      "more replicas than the controller allows",
      { ofGateway: { replicas: 6 }, hasMaximum: true },
      "spec.infrastructure.parametersRef: GatewayParameters default/own: spec.replicas is 6; the controller allows a Gateway at most 5",
    ],
    [
      "more of a resource than the controller allows",
      { ofGateway: { resources: { requests: { cpu: "3" }, limits: { cpu: "4001m" } } }, hasMaximum: true },
      "spec.resources.limits.cpu is 4001m; the controller allows a Gateway at most 4",
    ],
    [
      "a request above the maximum, in another unit",
      { ofGateway: { resources: { requests: { memory: "9000Mi" } } }, hasMaximum: true },
      "spec.resources.requests.memory is 9000Mi; the controller allows a Gateway at most 8Gi",
    ],
    [
      "a resource that the maximum does not have",
      { ofGateway: { resources: { limits: { "nvidia.com/gpu": 1 } } }, hasMaximum: true },
      "spec.resources.limits.nvidia.com/gpu cannot be set for a Gateway; the controller allows cpu, memory",
    ],
    [
      "an amount that is none",
      { ofGateway: { resources: { limits: { cpu: "lots" } } } },
      "spec.resources.limits.cpu is 'lots', which is not a quantity such as 500m or 2Gi",
    ],
    [
      "limits that are a list",
      { ofGateway: { resources: { limits: ["cpu"] } } },
      "spec.resources.limits is not an object",
    ],
    ["replicas that are no number", { ofGateway: { replicas: "many" } }, "spec.replicas is not a whole number"],
    ["a duration that is none", { ofGateway: { drainTimeout: "soon" } }, "spec.drainTimeout is not a duration"],
  ] as const satisfies readonly (readonly [string, Sketch, string])[]) {
    test(name, () => expect(build(sketch).problem).toContain(problem));
  }
});
