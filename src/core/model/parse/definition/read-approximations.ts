import type { Approximation, PolicyDefinition } from "../../definition.ts";
import type { JsonObject } from "../../json.ts";
import { objects, text, texts } from "../../schema/read-fields.ts";
import { checkPath, type DefinitionProblem } from "./read-definition-kinds.ts";

/** Reads `approximate` of a definition. */
export function readApproximations(
  spec: JsonObject,
  problems: DefinitionProblem[],
): Pick<PolicyDefinition, "approximate"> {
  const approximate = objects(spec, "approximate").map((item, i): Approximation => {
    const paths = texts(item, "paths");
    const others = texts(item, "with");
    paths.forEach((path, at) => checkPath(path, `spec.approximate[${i}].paths[${at}]`, problems));
    others.forEach((path, at) => checkPath(path, `spec.approximate[${i}].with[${at}]`, problems));
    return { because: text(item, "because", ""), paths, ...(others.length === 0 ? {} : { with: others }) };
  });
  return approximate.length === 0 ? {} : { approximate };
}
