/** The settings of Gateways, listeners, routes and BackendTLSPolicies that no data plane carries out. They are reported, and everything else is served. */
import { isJsonList, isJsonObject, type Json, type JsonObject, objectAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { ObjectRef } from "../../model/refs.ts";
import type { ConfigProblem } from "../gateway-config.ts";

const ignored = (object: ObjectRef, field: string, message: string): ConfigProblem => ({
  object,
  field,
  message,
  isIgnored: true,
});

export function ignoredOfGateway({ ref, raw }: KubeObject): readonly ConfigProblem[] {
  const { addresses, infrastructure, defaultScope } = objectAt(raw, "spec");
  return [
    ...(isEmpty(addresses)
      ? []
      : [
          ignored(
            ref,
            "spec.addresses",
            "addresses are ignored: the data plane listens on the address that --bind names",
          ),
        ]),
    ...(isEmpty(infrastructure)
      ? []
      : [
          ignored(
            ref,
            "spec.infrastructure",
            "it is ignored: no infrastructure is created that could have labels, annotations or parameters",
          ),
        ]),
    ...(defaultScope === "All"
      ? [
          ignored(
            ref,
            "spec.defaultScope",
            "default Gateways are not supported: only routes that name this Gateway are attached to it",
          ),
        ]
      : []),
  ];
}

export function ignoredOfRoute({ ref, raw }: KubeObject): readonly ConfigProblem[] {
  if (objectAt(raw, "spec")["useDefaultGateways"] !== "All") return NONE;
  const message = "default Gateways are not supported: the route is attached to the parents that it names only";
  return [ignored(ref, "spec.useDefaultGateways", message)];
}

const NONE: readonly ConfigProblem[] = [];

/** `field`: that of the options. */
export function ignoredOptions(object: ObjectRef, field: string, options: Json | undefined): readonly ConfigProblem[] {
  if (isEmpty(options) || !isJsonObject(options)) return [];
  const names = Object.keys(options).sort().join(", ");
  return [ignored(object, field, `TLS options are not supported: ${names} ${plural(options)} ignored`)];
}

const plural = (options: JsonObject): string => (Object.keys(options).length === 1 ? "is" : "are");

function isEmpty(value: Json | undefined): boolean {
  if (isJsonList(value)) return value.length === 0;
  return !isJsonObject(value) || Object.keys(value).length === 0;
}
