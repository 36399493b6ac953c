import { isJsonObject, type JsonObject, objectsIn, ownValue, textOf } from "../../model/json.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { ReportedCondition } from "./result.ts";

type About = Pick<ReportedCondition, "parent" | "controllerName" | "sectionName">;

/** The conditions in an object's status: of the object, of each parent or ancestor, and of each listener. */
export function reportedConditions(object: KubeObject | undefined, sectionName?: string): readonly ReportedCondition[] {
  const status = object === undefined ? undefined : ownValue(object.raw, "status");
  if (object === undefined || !isJsonObject(status)) return [];
  const found = objectsIn(ownValue(status, "listeners")).flatMap((listener) => {
    const name = textOf(ownValue(listener, "name"));
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
  const controllerName = textOf(ownValue(parent, "controllerName"));
  const controller = controllerName === "" ? {} : { controllerName };
  if (!isJsonObject(ref)) return controller;
  const section = textOf(ownValue(ref, "sectionName"));
  return {
    ...controller,
    parent: {
      group: textOf(ownValue(ref, "group") ?? GATEWAY_API),
      kind: textOf(ownValue(ref, "kind") ?? "Gateway"),
      namespace: textOf(ownValue(ref, "namespace") ?? ownNamespace),
      name: textOf(ownValue(ref, "name")),
      ...(section === "" ? {} : { sectionName: section }),
    },
  };
}

const conditionsIn = (status: JsonObject, about: About): readonly ReportedCondition[] =>
  objectsIn(ownValue(status, "conditions")).map((condition) => ({
    ...about,
    type: textOf(ownValue(condition, "type")),
    status: textOf(ownValue(condition, "status")),
    reason: textOf(ownValue(condition, "reason")),
    message: textOf(ownValue(condition, "message")),
  }));

/** Controllers write the status. A value that is not a string reads as empty. */
