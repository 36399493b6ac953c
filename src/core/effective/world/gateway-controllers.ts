/** The controller that a Gateway belongs to, and whether that controller carries a policy kind out. */
import { isKnownAbsent } from "../../model/completeness.ts";
import type { PolicyDefinition } from "../../model/definition.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../model/json.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import {
  type GroupKind,
  isPlainName,
  type KindId,
  kindId,
  type ObjectId,
  type ObjectRef,
  objectId,
} from "../../model/refs.ts";
import type { WithObjects } from "./world.ts";

const GATEWAY: GroupKind = { group: GATEWAY_API, kind: "Gateway" };
const GATEWAY_ID: KindId = kindId(GATEWAY);
const GATEWAY_CLASS: GroupKind = { group: GATEWAY_API, kind: "GatewayClass" };
const GATEWAY_CLASS_ID: KindId = kindId(GATEWAY_CLASS);

export const isGateway = ({ group, kind }: GroupKind): boolean => kind === GATEWAY.kind && group === GATEWAY.group;

export const isGatewayClass = ({ group, kind }: GroupKind): boolean =>
  kind === GATEWAY_CLASS.kind && group === GATEWAY_CLASS.group;

/**
 * Gateways of other controllers
 *
 * A Gateway belongs to the controller that its GatewayClass names. Policies of a kind whose definition lists controllers take no
 * effect behind the Gateways of other controllers. Returns the other controller; undefined if the Gateway belongs to a listed
 * one, or if its controller is not known. If the GatewayClass does not exist, the Gateway belongs to no controller.
 * Gateway API, "GatewayClass"
 */
export function foreignController(
  world: Objects,
  { controllers }: Pick<PolicyDefinition, "controllers">,
  gateway: JsonObject | undefined,
): string | undefined {
  if (controllers.length === 0 || gateway === undefined) return undefined;
  const name = classNameOf(gateway);
  if (isNoClass(world, name)) return `no controller (there is no GatewayClass ${name})`;
  const controller = controllerOf(world.objects.find(GATEWAY_CLASS_ID, "", name)?.raw);
  return controller === undefined || controllers.includes(controller) ? undefined : controller;
}

/**
 * Gateways whose controller is not known
 *
 * If the GatewayClass of a Gateway is not in the input, it is not known whether its controller carries a kind out whose definition lists
 * controllers. Returns that GatewayClass.
 * Gateway API, "GatewayClass"
 */
export function unknownClassOf(
  world: Objects,
  { controllers }: Pick<PolicyDefinition, "controllers">,
  gateway: JsonObject | undefined,
): ObjectRef | undefined {
  if (controllers.length === 0 || gateway === undefined) return undefined;
  const name = classNameOf(gateway);
  if (controllerOf(world.objects.find(GATEWAY_CLASS_ID, "", name)?.raw) !== undefined || isNoClass(world, name))
    return undefined;
  return classRef(name);
}

const classRef = (name: string): ObjectRef => ({ ...GATEWAY_CLASS, namespace: "", name });

type Objects = Pick<WithObjects, "objects" | "refused" | "completeness" | "deleted">;

/** True if a GatewayClass that is not found does not exist. One that is in the input and refused exists. */
const isNoClass = ({ objects, refused, ...tables }: Objects, name: string): boolean =>
  objects.find(GATEWAY_CLASS_ID, "", name) === undefined &&
  isKnownAbsent(tables, classRef(name)) &&
  !(isPlainName(name) && refused.has(objectId(classRef(name))));

/** The Gateways of controllers that do not carry the kind out, with their controllers. */
export function foreignGateways(
  world: Objects,
  definition: Pick<PolicyDefinition, "controllers">,
): ReadonlyMap<ObjectId, string> {
  const foreign = new Map<ObjectId, string>();
  if (definition.controllers.length === 0) return foreign;
  for (const { id, raw } of world.objects.ofKind(GATEWAY_ID)) {
    const controller = foreignController(world, definition, raw);
    if (controller !== undefined) foreign.set(id, controller);
  }
  return foreign;
}

/** The Gateways whose controller is not known. */
export const gatewaysOfUnknownClass = (
  world: Objects,
  definition: Pick<PolicyDefinition, "controllers">,
): readonly ObjectRef[] =>
  world.objects
    .ofKind(GATEWAY_ID)
    .filter(({ raw }) => unknownClassOf(world, definition, raw) !== undefined)
    .map(({ ref }) => ref);

/** `spec.controllerName` of a GatewayClass. */
export const controllerOf = (gatewayClass: JsonObject | undefined): string | undefined =>
  textIn(gatewayClass, "controllerName");

/** `spec.gatewayClassName` of a Gateway. */
const classNameOf = (gateway: JsonObject): string => textIn(gateway, "gatewayClassName") ?? "";

function textIn(object: JsonObject | undefined, key: string): string | undefined {
  const spec = object === undefined ? undefined : ownValue(object, "spec");
  const value = isJsonObject(spec) ? ownValue(spec, key) : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
