/** Cases that every Direct kind of a vendor has: its target, its rivals, what it may not target, whose Gateways. */
import type { JsonObject } from "../../src/index.ts";
import { gateway, gatewayClass, listener, policy, route, service } from "../support/cluster/gateway-objects.ts";
import type { VendorCase } from "./vendor-cases.ts";

interface DirectKind {
  readonly group: string;
  readonly kind: string;
  /** `Service/s`, `Gateway/g`, `HTTPRoute/r`. */
  readonly target: string;
  /** Where its settings are read: a section of the target, if the kind has sections. The target if left out. */
  readonly at?: string;
  /** A kind that is no target. */
  readonly wrong: string;
  readonly spec: JsonObject;
  readonly other: JsonObject;
  /** The ancestor of the status, empty if the kind has none. The target if left out. */
  readonly ancestor?: string;
  /** Of two policies on one target. */
  readonly conflict?: "Oldest" | "Undefined";
}

/** A Gateway g with two listeners, an HTTPRoute r behind it, and the Service s that is its backend. */
export const directCluster = (controller: string): readonly JsonObject[] => [
  gatewayClass("class", controller),
  gateway("g", { listeners: [listener("a", { port: 80 }), listener("b", { port: 81 })] }),
  route("r", "Gateway/g", { rules: [{ name: "only", backends: ["s"] }] }),
  service("s", { ports: { http: 80, admin: 81 } }),
];

export function directKindCases({
  group,
  kind,
  target,
  wrong,
  spec,
  other,
  ...more
}: DirectKind): readonly VendorCase[] {
  const { ancestor = target, at = target, conflict = "Oldest" } = more;
  const made = (name: string, on: string, settings: JsonObject, created: number) =>
    policy(kind, name, on, settings, { group, created });
  return [
    {
      what: `${kind}: its settings take effect on ${target}`,
      objects: [made("p", target, spec, 0)],
      kind,
      effective: { [at]: spec },
      outcomes: { p: "Enforced" },
      conditions: { p: [`${ancestor === "" ? "" : `${ancestor}: `}Accepted=True/Accepted Enforced=True/Enforced`] },
    },
    {
      what: `${kind}: of two on one target ${conflict === "Oldest" ? "the oldest takes effect alone" : "either may take effect"}`,
      objects: [made("new", target, other, 1), made("old", target, spec, 0)],
      kind,
      ...(conflict === "Oldest"
        ? { effective: { [at]: spec }, outcomes: { old: "Enforced", new: "Conflicted by old" } }
        : { effective: { [at]: {} }, outcomes: { old: "Undefined by new", new: "Undefined by old" } }),
    },
    {
      what: `${kind}: ${wrong} is no target`,
      objects: [made("p", wrong, spec, 0)],
      kind,
      effective: { [at]: {} },
      outcomes: { p: "TargetNotFound" },
    },
    {
      what: `${kind}: a target that does not exist`,
      objects: [made("p", `${target}-absent`, spec, 0)],
      kind,
      effective: { [at]: {} },
      outcomes: { p: "TargetNotFound" },
    },
  ];
}
