import { isJsonObject, type Json, type JsonObject, objectsIn, ownValue } from "../../model/json.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { ReportedCondition } from "./result.ts";

type About = Pick<ReportedCondition, "parent" | "controllerName" | "sectionName">;

/** The conditions in an object's status: of the object, of each parent or ancestor, and of each listener. */
export function reportedConditions(object: KubeObject | undefined, sectionName?: string): readonly ReportedCondition[] {
  const status = object === undefined ? undefined : ownValue(object.raw, "status");
  if (object === undefined || !isJsonObject(status)) return [];
  const found = objectsIn(ownValue(status, "listeners")).flatMap((listener) => {
    const name = text(ownValue(listener, "name"));
    return sectionName === undefined || sectionName === name ? conditionsIn(listener, { sectionName: name }) : [];
  });
  const isListener = sectionName !== undefined && found.length > 0;
  if (isListener) return found;
  const parents = [...objectsIn(ownValue(status, "parents")), ...objectsIn(ownValue(status, "ancestors"))];
  return [
    ...conditionsIn(status, {}),
    ...parents.flatMap((parent) => conditionsIn(parent, aboutParent(parent, object.family.namespace))),
    ...found,
  ];
}

function aboutParent(parent: JsonObject, ownNamespace: string): About {
  const ref = ownValue(parent, "parentRef") ?? ownValue(parent, "ancestorRef");
  const controllerName = text(ownValue(parent, "controllerName"));
  const controller = controllerName === "" ? {} : { controllerName };
  if (!isJsonObject(ref)) return controller;
  const section = text(ownValue(ref, "sectionName"));
  return {
    ...controller,
    parent: {
      group: text(ownValue(ref, "group") ?? GATEWAY_API),
      kind: text(ownValue(ref, "kind") ?? "Gateway"),
      namespace: text(ownValue(ref, "namespace") ?? ownNamespace),
      name: text(ownValue(ref, "name")),
      ...(section === "" ? {} : { sectionName: section }),
    },
  };
}

const conditionsIn = (status: JsonObject, about: About): readonly ReportedCondition[] =>
  objectsIn(ownValue(status, "conditions")).map((condition) => ({
    ...about,
    type: text(ownValue(condition, "type")),
    status: text(ownValue(condition, "status")),
    reason: text(ownValue(condition, "reason")),
    message: text(ownValue(condition, "message")),
  }));

/** Controllers write the status. A value that is not a string reads as empty. */
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
