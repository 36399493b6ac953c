/** What a test needs of a rendered chart: the arguments of the controller, and its rights. */
import { parseDocuments } from "../../../src/adapters/files/parse-documents.ts";
import { isJsonObject, type JsonObject, objectAt, objectsIn, ownValue } from "../../../src/core/model/json.ts";
import { valueAtKeys } from "../../../src/core/model/json-pointer.ts";
import type { RequestEvent } from "./request-log.ts";

const documentsOf = (rendered: string): readonly JsonObject[] =>
  parseDocuments(rendered, "chart").documents.flatMap(({ value }) => (isJsonObject(value) ? [value] : []));

/** The arguments of the container of the Deployment. */
export function controllerArgs(rendered: string): readonly string[] {
  const deployment = documentsOf(rendered).find(({ kind }) => kind === "Deployment") ?? {};
  const [container] = objectsIn(valueAtKeys(deployment, ["spec", "template", "spec", "containers"]));
  return textsIn(container, "args");
}

/** The Pod that the Deployment would start, without the PriorityClass, which is not there before the chart is installed. */
export function podOf(rendered: string): JsonObject {
  const deployment = documentsOf(rendered).find(({ kind }) => kind === "Deployment") ?? {};
  const namespace = valueAtKeys(deployment, ["metadata", "namespace"]) ?? "";
  const { priorityClassName: _, ...spec } = objectAt(objectAt(objectAt(deployment, "spec"), "template"), "spec");
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "prevail", namespace }, spec };
}

/** A right to one verb on one resource, and to one name of it if `name` is there. */
export interface Right {
  readonly role: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name: string | undefined;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** The test that the chart names: the comment `# test: NAME` above the rule, or above one before it. */
  readonly test: string | undefined;
}

/** Every right that the roles of the controller give. */
export const controllerRights = (rendered: string): readonly Right[] =>
  rightsOfRoles(rendered, (name) => name.startsWith("prevail-controller"));

/** Every right that the roles with such a name give. */
export const rightsOfRoles = (rendered: string, isMeant: (name: string) => boolean): readonly Right[] =>
  rendered.split(/^---$/m).flatMap((text) =>
    documentsOf(text)
      .filter(({ kind }) => kind === "ClusterRole" || kind === "Role")
      .filter((role) => isMeant(nameOf(role)))
      .flatMap((role) => rightsOf(role, testsOfRules(text))),
  );

function rightsOf(role: JsonObject, tests: readonly (string | undefined)[]): readonly Right[] {
  const namespace = valueAtKeys(role, ["metadata", "namespace"]);
  return objectsIn(ownValue(role, "rules")).flatMap((rule, index) => {
    const names = textsIn(rule, "resourceNames");
    const common = {
      role: nameOf(role),
      namespace: typeof namespace === "string" ? namespace : undefined,
      test: tests[index],
    };
    return textsIn(rule, "apiGroups").flatMap((group) =>
      textsIn(rule, "resources").flatMap((resource) =>
        textsIn(rule, "verbs").flatMap((verb) =>
          (names.length === 0 ? [undefined] : names).map((name) => ({ ...common, group, resource, verb, name })),
        ),
      ),
    );
  });
}

/** The test that each rule names, in the order of the rules. */
function testsOfRules(text: string): readonly (string | undefined)[] {
  let test: string | undefined;
  return text.split("\n").flatMap((line) => {
    test = /^# test: (.+)$/.exec(line)?.[1] ?? test;
    return line.startsWith("- apiGroups:") ? [test] : [];
  });
}

const nameOf = (object: JsonObject): string => {
  const name = valueAtKeys(object, ["metadata", "name"]);
  return typeof name === "string" ? name : "";
};

const textsIn = (object: JsonObject | undefined, key: string): readonly string[] => {
  const list = object === undefined ? undefined : ownValue(object, key);
  return Array.isArray(list) ? list.map(String) : [];
};

/** True if the request needed the right. Server-side apply needs the right to create where the object is not there. */
export function usesRight({ verb, objectRef, responseStatus }: RequestEvent, right: Right): boolean {
  const hasCreated = verb === "patch" && responseStatus?.code === 201;
  if (objectRef === undefined || (verb !== right.verb && !(hasCreated && right.verb === "create"))) return false;
  const { apiGroup = "", resource, subresource, name, namespace } = objectRef;
  return (
    apiGroup === right.group &&
    [resource, subresource].filter((part) => part !== undefined).join("/") === right.resource &&
    (right.name === undefined || right.name === name) &&
    (right.namespace === undefined || right.namespace === namespace)
  );
}

export const formatRight = ({ role, verb, resource, group, name, test }: Right): string =>
  `${role}: ${verb} ${resource}${group === "" ? "" : `.${group}`}${name === undefined ? "" : ` ${name}`} in test '${test ?? "none"}'`;
