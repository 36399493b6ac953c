/** The fields of GatewayParameters. The schema of the CRD has the same rules, as far as a schema can. */
import { isJsonObject, type Json, type JsonObject, objectAt, ownValue } from "../model/json.ts";
import { parseDurationMs } from "../model/parse/parse-duration.ts";
import { parseQuantity } from "../model/parse/parse-quantity.ts";

export const SERVICE_TYPES = ["LoadBalancer", "NodePort", "ClusterIP"] as const;
export type ServiceType = (typeof SERVICE_TYPES)[number];

export interface GatewayParameters {
  /** Undefined: not applied, because something else may scale the Deployment. */
  readonly replicas?: number;
  readonly image?: string;
  readonly resources?: JsonObject;
  readonly serviceType?: ServiceType;
  readonly drainSeconds?: number;
  /** Strategic merge patches, in the order in which they are applied. */
  readonly patches: readonly { readonly deployment?: JsonObject; readonly service?: JsonObject }[];
}

/** A field with an error. The message begins with the field. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The fields of each object in `spec`, by its own field; those of `spec` itself have an empty one. */
export const PARAMETER_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["", ["replicas", "image", "resources", "service", "drainTimeout", "patches"]],
  ["service", ["type"]],
  ["patches", ["deployment", "service"]],
]);

/** The fields of resources with amounts. */
const AMOUNTS = ["requests", "limits"];
/** The longest time in which connections end before an Envoy does. */
const LONGEST_DRAIN_SECONDS = 3600;
const LONGEST_SHOWN = 80;

/** The errors in `spec` of GatewayParameters, in the order of its fields. */
export function parameterErrors(spec: JsonObject): readonly FieldError[] {
  const { replicas, image, resources, service, drainTimeout, patches } = spec;
  const errors: FieldError[] = [];
  const add = (field: string, problem: string): void => {
    errors.push({ field, message: `${field} ${problem}` });
  };
  const isObject = (field: string, value: Json | undefined): boolean => {
    const isWrong = value !== undefined && !isJsonObject(value);
    if (isWrong) add(field, "is not an object");
    return !isWrong;
  };
  if (replicas !== undefined && !(Number.isInteger(replicas) && Number(replicas) >= 0))
    add("spec.replicas", "is not a whole number");
  if (image !== undefined && (typeof image !== "string" || image === "")) add("spec.image", "is not an image");
  if (isObject("spec.resources", resources)) {
    for (const part of AMOUNTS) isObject(`spec.resources.${part}`, ownValue(objectAt(spec, "resources"), part));
    for (const { field, text, amount } of amountsOf(spec))
      if (amount === undefined) add(field, `is '${text}', which is not a quantity such as 500m or 2Gi`);
  }
  if (isObject("spec.service", service)) {
    const type = ownValue(objectAt(spec, "service"), "type");
    if (type !== undefined && !SERVICE_TYPES.some((one) => one === type))
      add("spec.service.type", `is '${textOf(type)}'; supported: ${SERVICE_TYPES.join(", ")}`);
  }
  if (drainTimeout !== undefined && drainSecondsOf(drainTimeout) === undefined)
    add("spec.drainTimeout", "is not a duration of at most 1h, such as 30s");
  if (isObject("spec.patches", patches))
    for (const part of ["deployment", "service"])
      isObject(`spec.patches.${part}`, ownValue(objectAt(spec, "patches"), part));
  return errors;
}

/** Parses a `spec` that has no errors. */
export function parseGatewayParameters(spec: JsonObject): GatewayParameters {
  const { replicas, image, resources, drainTimeout } = spec;
  const type = ownValue(objectAt(spec, "service"), "type");
  const serviceType = SERVICE_TYPES.find((one) => one === type);
  const drainSeconds = drainSecondsOf(drainTimeout);
  const [deployment, service] = ["deployment", "service"].map((part) => ownValue(objectAt(spec, "patches"), part));
  const patch = {
    ...(isJsonObject(deployment) ? { deployment } : {}),
    ...(isJsonObject(service) ? { service } : {}),
  };
  return {
    ...(typeof replicas === "number" ? { replicas } : {}),
    ...(typeof image === "string" ? { image } : {}),
    ...(isJsonObject(resources) ? { resources } : {}),
    ...(serviceType === undefined ? {} : { serviceType }),
    ...(drainSeconds === undefined ? {} : { drainSeconds }),
    patches: Object.keys(patch).length === 0 ? [] : [patch],
  };
}

/** An amount of a resource that is requested, or the limit of it. */
interface ResourceAmount {
  readonly field: string;
  readonly resource: string;
  readonly text: string;
  /** Undefined: it is not a quantity. */
  readonly amount: number | undefined;
}

/** The requests and limits in `spec.resources`. */
export const amountsOf = (spec: JsonObject): readonly ResourceAmount[] =>
  AMOUNTS.flatMap((part) =>
    Object.entries(objectAt(objectAt(spec, "resources"), part)).map(([resource, value]) => {
      const text = textOf(value);
      const amount = parseQuantity(text);
      const isAmount = amount !== undefined && amount >= 0;
      return { field: `spec.resources.${part}.${resource}`, resource, text, amount: isAmount ? amount : undefined };
    }),
  );

function drainSecondsOf(value: Json | undefined): number | undefined {
  const ms = typeof value === "string" ? parseDurationMs(value) : undefined;
  return ms === undefined || ms > LONGEST_DRAIN_SECONDS * 1000 ? undefined : Math.ceil(ms / 1000);
}

/** The API server takes a number for a quantity, too. */
const textOf = (value: Json): string =>
  typeof value === "string" || typeof value === "number" ? `${value}`.slice(0, LONGEST_SHOWN) : "";
