/** Policy attachment reference, "Hierarchy" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { fruit, gateway, policy } from "../../support/cluster/gateway-objects.ts";
import { chainOfKinds, policyKind } from "../../support/cluster/policy-kind.ts";
import { acme, acmePolicy, ingress, inherited } from "./acme-policies.ts";

describe("Hierarchy", () => {
  /** A chain of kinds, one object each, and a policy kind that targets all of them. */
  function chain(names: readonly string[]) {
    const kinds = names.map((name) => `Level${name}`);
    const definition = policyKind("LevelPolicy", {
      targets: kinds,
      ends: kinds.slice(-1),
      ...chainOfKinds(kinds),
      merge: inherited,
    });
    const objects = kinds.map((kind, i) => {
      const child = kinds[i + 1];
      return fruit(`${kind}/x`, child === undefined ? {} : { children: [{ kind: child, name: "x" }] });
    });
    const order = [
      ...names.map((name) => ({ name, block: "override" })),
      ...names.toReversed().map((name) => ({ name, block: "default" })),
    ];
    return { definition, objects, order, end: `${kinds.at(-1)}/x` };
  }

  function winner(names: readonly string[], present: readonly { readonly name: string; readonly block: string }[]) {
    const { definition, objects, end } = chain(names);
    const policies = present.map(({ name, block }, i) =>
      // Older policies stand lower in the wanted order: age must not matter between levels.
      policy(
        "LevelPolicy",
        `p-${name.toLowerCase()}-${block}`,
        `Level${name}/x`,
        { [block]: { value: `${name} ${block}` } },
        { created: 99 - i },
      ),
    );
    return cluster([...objects, ...policies], { definitions: [definition] }).spec(end)["value"];
  }

  for (const names of [
    ["A", "B"],
    ["A", "B", "C"],
    ["A", "B", "C", "D", "E"],
  ]) {
    const { order } = chain(names);
    const title = order.map(({ name, block }) => `${name} ${block}`).join(" > ");
    for (const [i, { name, block }] of order.entries()) {
      test(`${title}: ${name} ${block} takes effect over all that follow`, () => {
        expect(winner(names, order.slice(i))).toBe(`${name} ${block}`);
      });
    }
  }

  test("A override > B override > C override > C default > B default > A default: every subset", () => {
    const names = ["A", "B", "C"];
    const { order } = chain(names);
    for (let subset = 1; subset < 2 ** order.length; subset++) {
      const present = order.filter((_, i) => (subset & (1 << i)) !== 0);
      const [first] = present;
      expect(winner(names, present), present.map(({ name, block }) => `${name} ${block}`).join(", ")).toBe(
        `${first?.name} ${first?.block}`,
      );
    }
  });

  test("one policy resource may include 2 structs: both blocks of one policy are merged in their order", () => {
    const names = ["A", "B", "C"];
    const { definition, objects, end } = chain(names);
    const both = (name: string, fields: readonly string[]) =>
      policy("LevelPolicy", `p-${name.toLowerCase()}`, `Level${name}/x`, {
        override: Object.fromEntries(fields.map((key) => [key, `${name} override`])),
        default: { x: `${name} default`, y: `${name} default`, z: `${name} default` },
      });
    const made = cluster([...objects, both("A", ["x"]), both("B", ["x", "y"]), both("C", [])], {
      definitions: [definition],
    });
    expect(made.spec(end)).toEqual({ x: "A override", y: "B override", z: "C default" });
  });

  const cdn = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: example, namespace: default}
spec: {gatewayClassName: class, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: example, namespace: default}
spec:
  parentRefs: [{name: example}]
  rules: [{}]
---
apiVersion: networking.example.net/v1
kind: AcmeServicePolicy
metadata: {name: on-gateway, namespace: default}
spec:
  override:
    cdn: {enabled: true}
  default:
    cdn:
      cachePolicy: {includeHost: true, includeProtocol: true, includeQueryString: true}
  targetRef: {kind: Gateway, name: example}
---
apiVersion: networking.example.net/v1
kind: AcmeServicePolicy
metadata: {name: on-route, namespace: default}
spec:
  default:
    cdn:
      cachePolicy: {includeQueryString: false}
  targetRef: {kind: HTTPRoute, name: example}
`;

  test("AcmeServicePolicy: the Gateway requires cdn, the Route changes includeQueryString", () => {
    const made = cluster(cdn, { definitions: ["acme-service-policy"] });
    expect(made.spec("Gateway/example > HTTPRoute/example")).toEqual({
      cdn: { enabled: true, cachePolicy: { includeHost: true, includeProtocol: true, includeQueryString: false } },
    });
    expect(made.source("HTTPRoute/example", "/cdn/cachePolicy/includeQueryString")).toEqual({
      held: "on-route defaults",
      by: "on-gateway defaults FieldDefaults",
      lost: ["on-gateway defaults true replaced by on-route"],
    });
    expect(made.source("HTTPRoute/example", "/cdn/enabled").held).toBe("on-gateway overrides");
    expect(made.outcome("on-gateway")).toBe("PartiallyEnforced by on-route");
    expect(made.outcome("on-route")).toBe("Enforced");
  });

  const block = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const text = { type: "string" };
  const target = { type: "object", properties: { group: text, kind: text, name: text } };
  test.each([
    ["with a schema", { targetRef: target, default: block, override: block }],
    ["whose schema leaves the spec open", { targetRef: target }],
  ])("AcmeServicePolicy by the label of a CRD alone, %s: four fields take effect", (_, properties) => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: "acmeservicepolicies.networking.example.net",
        labels: { "gateway.networking.k8s.io/policy": "Inherited" },
      },
      spec: {
        group: "networking.example.net",
        names: { kind: "AcmeServicePolicy" },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", properties: { spec: { ...block, properties } } } },
          },
        ],
      },
    };
    const made = cluster(`${cdn}---\n${JSON.stringify(crd)}`);
    expect(made.spec("Gateway/example > HTTPRoute/example")).toEqual({
      cdn: { enabled: true, cachePolicy: { includeHost: true, includeProtocol: true, includeQueryString: false } },
    });
    expect(made.outcome("on-gateway")).toBe("PartiallyEnforced by on-route");
    expect(made.outcome("on-route")).toBe("Enforced");
  });

  test("the override drainTimeout of the Gateway, the default connectionTimeout of the Route", () => {
    const made = cluster(
      [
        ...ingress,
        acmePolicy("gp", "Gateway/g", {
          override: { drainTimeout: "10s" },
          default: { connectionTimeout: "60s", maxConnections: 100 },
        }),
        acmePolicy("rp", "HTTPRoute/r", {
          default: { drainTimeout: "5s", connectionTimeout: "30s", idleTimeout: "1h" },
        }),
      ],
      { definitions: [acme] },
    );
    expect(made.spec("Service/s")).toEqual({
      drainTimeout: "10s",
      connectionTimeout: "30s",
      // "fields that are not common across objects may both end up affecting the final object"
      maxConnections: 100,
      idleTimeout: "1h",
    });
    expect(made.source("Service/s", "/drainTimeout")).toEqual({
      held: "gp overrides",
      by: "gp overrides FieldOverrides",
      lost: ['rp defaults "5s" overridden by gp'],
    });
    expect(made.source("Service/s", "/connectionTimeout")).toEqual({
      held: "rp defaults",
      by: "gp defaults FieldDefaults",
      lost: ['gp defaults "60s" replaced by rp'],
    });
    expect(made.outcome("gp")).toBe("PartiallyEnforced by rp");
    expect(made.outcome("rp")).toBe("PartiallyEnforced by gp");
  });

  test("Attaching Policy to GatewayClass: any policy attached to it must also be cluster scoped", () => {
    const definition = policyKind("ClassPolicy", {
      joined: [{ group: "example.com", kind: "ClusterClassPolicy", scope: "Cluster" }],
      targets: ["GatewayClass", "Gateway"],
      ends: ["Gateway"],
      merge: inherited,
    });
    const made = cluster(
      [
        gateway("g"),
        policy("ClassPolicy", "namespaced", "GatewayClass/class", { default: { x: "namespaced" } }, { created: 0 }),
        policy(
          "ClusterClassPolicy",
          "cluster",
          "GatewayClass/class",
          { default: { x: "cluster" } },
          { namespace: "", created: 1 },
        ),
      ],
      { definitions: [definition] },
    );
    expect(made.spec("GatewayClass/class > Gateway/g")).toEqual({ x: "cluster" });
    expect(made.outcome("cluster")).toBe("Enforced");
    expect(made.verdictOf("namespaced").state).toBe("NotAccepted");
    expect(made.message("namespaced")).toMatch(/scope/);
  });
});
