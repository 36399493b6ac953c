/** Names, labels and annotations of the objects of a Gateway. */
import type { JsonObject } from "../model/json.ts";
import type { ObjectRef } from "../model/refs.ts";

/** The label by which the objects of a Gateway are selected. Its value is the name of the objects. */
export const INFRASTRUCTURE_LABEL = "prevail.dev/infrastructure";
/** The annotation with the whole name of the Gateway, `namespace/name`. Label values are shorter. */
export const GATEWAY_ANNOTATION = "prevail.dev/gateway";
/** The annotation with the name of the controller that made the object. */
export const CONTROLLER_ANNOTATION = "prevail.dev/controller-name";

/** The longest name of a Service, and the longest value of a label. */
const LONGEST_NAME = 63;
/** A Pod is named after its ReplicaSet, with up to 17 more characters. */
const LONGEST_BASE = LONGEST_NAME - 17;

/**
 * A name for the objects of a Gateway
 *
 * The name of the Gateway, shortened to what is valid for a Service, and a fingerprint of its namespace and name, because the objects of Gateways of all namespaces are in
 * one namespace. It is the same for a Gateway that is deleted and created again.
 * Kubernetes, "DNS-1035 label names"
 */
export function infrastructureName({ namespace, name }: Pick<ObjectRef, "namespace" | "name">): string {
  const end = fingerprint(`${namespace}/${name}`);
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
  const base = (/^[a-z]/.test(plain) ? plain : `gw-${plain}`).slice(0, LONGEST_BASE - end.length - 1);
  return `${base.replace(/-+$/, "")}-${end}`;
}

/** The value of a label for a name that may be longer than labels allow. */
const labelValue = (name: string): string =>
  name.length <= LONGEST_NAME
    ? name
    : `${name.slice(0, LONGEST_NAME - 12).replace(/[^A-Za-z0-9]+$/, "")}-${fingerprint(name)}`;

/** The labels of every object of a Gateway. */
export function labelsOf(gateway: ObjectRef, className: string): { readonly [key: string]: string } {
  return {
    "app.kubernetes.io/name": "envoy",
    "app.kubernetes.io/component": "gateway",
    "app.kubernetes.io/managed-by": "prevail",
    "gateway.networking.k8s.io/gateway-name": labelValue(gateway.name),
    "gateway.networking.k8s.io/gateway-class-name": labelValue(className),
    "prevail.dev/gateway-namespace": labelValue(gateway.namespace),
    ...selectorOf(gateway),
  };
}

export const selectorOf = (gateway: ObjectRef): { readonly [key: string]: string } => ({
  [INFRASTRUCTURE_LABEL]: infrastructureName(gateway),
});

/** Prefixes of keys that are the controller's own. Others could make a Pod part of a Service that it does not belong to. */
const OWN_PREFIXES = ["prevail.dev/", "app.kubernetes.io/", "gateway.networking.k8s.io/"];

export const isOwnKey = (key: string): boolean => OWN_PREFIXES.some((prefix) => key.startsWith(prefix));

/** 53 bits of a text as ten characters. Distinct texts have the same one only by chance: the objects name their Gateway, and an object of another Gateway is never changed. */
export function fingerprint(text: string): string {
  let [one, two] = [0x811c9dc5, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x9e3779b1);
    two = Math.imul(two ^ code, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
  two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  const number = (two & 0x1fffff) * 2 ** 32 + (one >>> 0);
  return number.toString(32).padStart(11, "0").slice(-10);
}

/** `namespace/name` of the Gateway of an object that a controller of this name made. Undefined: it did not make the object. */
export function gatewayOfObject(object: JsonObject, controllerName: string): string | undefined {
  const metadata = object["metadata"];
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  if (!isObject(annotations) || annotations[CONTROLLER_ANNOTATION] !== controllerName) return undefined;
  const gateway = annotations[GATEWAY_ANNOTATION];
  return typeof gateway === "string" ? gateway : undefined;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
