/** Policy attachment reference, "Inherited Policy Attachment: It's all about the defaults and overrides" */

import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { customResourceDefinition } from "../../support/crd/custom-resource.ts";
import { acme, acmePolicy, acmeSpec, ingress } from "./acme-policies.ts";

describe("Inherited Policy Attachment: It's all about the defaults and overrides", () => {
  test("the resultant Policy should be the set of all distinct fields inside the relevant Policy objects", () => {
    const spec = acmeSpec(
      acmePolicy("g", "Gateway/g", { default: { a: 1 }, override: { b: 2 } }),
      acmePolicy("r", "HTTPRoute/r", { default: { c: { d: 3 } } }),
      acmePolicy("s", "Service/s", { override: { c: { e: 4 } } }),
    );
    expect(spec).toEqual({ a: 1, b: 2, c: { d: 3, e: 4 } });
  });

  test("only a single Policy wins the right to affect each field, on a per-distinct-field basis", () => {
    const made = cluster(
      [
        ...ingress,
        acmePolicy("gp", "Gateway/g", { override: { x: "g" }, default: { y: "g", z: "g" } }),
        acmePolicy("rp", "HTTPRoute/r", { override: { x: "r" }, default: { y: "r" } }),
      ],
      { definitions: [acme] },
    );
    expect(made.sources("Service/s")).toEqual({
      "/x": { held: "gp overrides", by: "gp overrides FieldOverrides", lost: ['rp overrides "r" overridden by gp'] },
      "/y": { held: "rp defaults", by: "gp defaults FieldDefaults", lost: ['gp defaults "g" replaced by rp'] },
      "/z": { held: "gp defaults", by: "gp defaults FieldDefaults", lost: [] },
    });
    expect(made.outcome("gp")).toBe("PartiallyEnforced by rp");
    expect(made.outcome("rp")).toBe("PartiallyEnforced by gp");
  });

  test("settings in overrides stanzas will win over the same setting in a defaults stanza", () => {
    const defaults = acmePolicy("r", "HTTPRoute/r", { default: { x: "default" } });
    expect(acmeSpec(defaults, acmePolicy("g", "Gateway/g", { override: { x: "override" } }))).toEqual({
      x: "override",
    });
    const above = acmePolicy("g", "Gateway/g", { default: { x: "default" } });
    expect(acmeSpec(above, acmePolicy("r", "HTTPRoute/r", { override: { x: "override" } }))).toEqual({ x: "override" });
    expect(acmeSpec(acmePolicy("g", "Gateway/g", { default: { x: "default" }, override: { x: "override" } }))).toEqual({
      x: "override",
    });
  });

  test("overrides: less specific beats more specific", () => {
    const policies = ["Gateway/g", "HTTPRoute/r", "Service/s"].map((on, i) =>
      acmePolicy(`p${i}`, on, { override: { x: on } }, 9 - i),
    );
    expect(acmeSpec(...policies)).toEqual({ x: "Gateway/g" });
    expect(acmeSpec(...policies.slice(1))).toEqual({ x: "HTTPRoute/r" });
  });

  test("defaults: more specific beats less specific", () => {
    const policies = ["Service/s", "HTTPRoute/r", "Gateway/g"].map((on, i) =>
      acmePolicy(`p${i}`, on, { default: { x: on } }, 9 - i),
    );
    expect(acmeSpec(...policies)).toEqual({ x: "Service/s" });
    expect(acmeSpec(...policies.slice(1))).toEqual({ x: "HTTPRoute/r" });
  });

  test("for fields where the value is an object, the replacement is on simple fields", () => {
    const spec = acmeSpec(
      acmePolicy("g", "Gateway/g", { override: { o: { a: "g" } }, default: { o: { b: "g", c: "g" } } }),
      acmePolicy("s", "Service/s", { default: { o: { a: "s", b: "s" } } }),
    );
    expect(spec).toEqual({ o: { a: "g", b: "s", c: "g" } });
  });

  test("lists are entirely replaced, not merged", () => {
    const lower = acmePolicy("s", "Service/s", { default: { list: ["c", "d", "e"] } });
    expect(acmeSpec(lower, acmePolicy("g", "Gateway/g", { override: { list: ["a"] } }))).toEqual({ list: ["a"] });
    expect(acmeSpec(lower, acmePolicy("g", "Gateway/g", { default: { list: ["a", "b"] } }))).toEqual({
      list: ["c", "d", "e"],
    });
    // Lists of structs are lists, too: one value between policies.
    const structs = acmePolicy("s", "Service/s", { default: { list: [{ a: 1 }] } });
    expect(acmeSpec(structs, acmePolicy("g", "Gateway/g", { override: { list: [{ b: 2 }] } }))).toEqual({
      list: [{ b: 2 }],
    });
  });

  test("the same applies to map[string]string fields: annotations are entirely replaced", () => {
    const lower = acmePolicy("s", "Service/s", { default: { annotations: { foo: "a", bar: "b" } } });
    expect(acmeSpec(lower, acmePolicy("g", "Gateway/g", { override: { annotations: { foo: "c" } } }))).toEqual({
      annotations: { foo: "c" },
    });
    expect(acmeSpec(lower, acmePolicy("g", "Gateway/g", { default: { annotations: { baz: "c" } } }))).toEqual({
      annotations: { foo: "a", bar: "b" },
    });
  });

  test("map[string]string as the CRD's schema shows it (additionalProperties)", () => {
    const settings = {
      type: "object",
      properties: {
        labels: { type: "object", additionalProperties: { type: "string" } },
        struct: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } },
      },
    };
    const crd = customResourceDefinition({
      kind: "AcmeServicePolicy",
      plural: "acmeservicepolicies",
      spec: {
        type: "object",
        properties: { targetRef: { type: "object" }, override: settings, default: settings },
      },
    });
    const lower = acmePolicy("s", "Service/s", { default: { labels: { foo: "a", bar: "b" }, struct: { a: 1 } } });
    const higher = acmePolicy("g", "Gateway/g", { override: { labels: { foo: "c" }, struct: { b: 2 } } });
    expect(acmeSpec(crd, lower, higher)).toEqual({ labels: { foo: "c" }, struct: { a: 1, b: 2 } });
  });

  test("two Policies of the same type specify different fields: all of the specified fields take effect", () => {
    const one = acmePolicy("a", "Gateway/g", { default: { x: 1 } }, 0);
    const other = acmePolicy("b", "Gateway/g", { default: { y: 2 } }, 1);
    expect(acmeSpec(one, other)).toEqual({ x: 1, y: 2 });
  });

  test("a value equal to the winner's is not overridden", () => {
    const made = cluster(
      [
        ...ingress,
        acmePolicy("gp", "Gateway/g", { default: { x: 1, y: [1, 2] } }),
        acmePolicy("rp", "HTTPRoute/r", { default: { x: 1, y: [1, 2] } }),
      ],
      { definitions: [acme] },
    );
    expect(made.source("Service/s", "/x")).toEqual({
      held: "rp defaults",
      by: "gp defaults FieldDefaults",
      lost: ["gp defaults 1 equal"],
    });
    expect(made.outcome("gp")).toBe("Enforced");
    expect(made.tally("gp")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.outcome("rp")).toBe("Enforced");
  });
});
