/** Reads `spec.governs` and `spec.governsPaths` of a PolicyDefinition: what the settings are about. */
import type { GovernedPaths, PolicyDefinition } from "../../definition.ts";
import { type JsonObject, objectAt } from "../../json.ts";
import { choices } from "../../schema/own-kinds/definition-schema.ts";
import { texts } from "../../schema/read-fields.ts";
import { checkPath, type DefinitionProblem } from "./read-definition-kinds.ts";

export function readGoverns(
  spec: JsonObject,
  problems: DefinitionProblem[],
): Pick<PolicyDefinition, "governs" | "governsPaths"> {
  const governs = choices.governs.find((one) => one === spec["governs"]);
  const governsPaths = readGovernedPaths(objectAt(spec, "governsPaths"), problems);
  return {
    ...(governs === undefined ? {} : { governs }),
    ...(governsPaths.length === 0 ? {} : { governsPaths }),
  };
}

/** A setting is about one thing. */
function readGovernedPaths(words: JsonObject, problems: DefinitionProblem[]): readonly GovernedPaths[] {
  const fields = new Map<string, string>();
  return choices.governs.flatMap((governs) => {
    const paths = texts(words, governs);
    paths.forEach((path, i) => {
      const field = `spec.governsPaths.${governs}[${i}]`;
      checkPath(path, field, problems);
      const other = fields.get(path);
      if (other !== undefined)
        problems.push({
          code: "Duplicate",
          field,
          message: `${field} repeats "${path}" of ${other}. List each path once.`,
        });
      fields.set(path, field);
    });
    return paths.length === 0 ? [] : [{ governs, paths }];
  });
}
