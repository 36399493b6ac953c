import { createCel } from "../core/model/cel/create-cel.ts";
import type { EvaluateCondition } from "../core/model/cel.ts";
import { isJsonObject, type Json, ownValue } from "../core/model/json.ts";
import type { KubeObject } from "../core/model/kube-object.ts";

interface SomeObjects {
  readonly objects: { readonly values: () => Iterable<KubeObject> };
}

const BLOCKS = ["overrides", "defaults", "override", "default"];

/** True if a condition of a policy or of a CoverageRule may use regular expressions. */
export function usesRegex({ objects }: SomeObjects): boolean {
  for (const { raw } of objects.values()) {
    const spec = ownValue(raw, "spec");
    if (!isJsonObject(spec)) continue;
    if (namesMatches(ownValue(spec, "condition"))) return true;
    for (const name of BLOCKS) {
      const block = ownValue(spec, name);
      if (isJsonObject(block) && namesMatches(ownValue(block, "when"))) return true;
    }
  }
  return false;
}

const namesMatches = (condition: Json | undefined): boolean =>
  typeof condition === "string" && condition.includes("matches");

/** The evaluator of conditions for some objects. Regular expressions take long to load, and few conditions use them. */
export const celFor = async (...snapshots: readonly SomeObjects[]): Promise<EvaluateCondition> =>
  snapshots.some(usesRegex) ? loadCel() : createCel();

/** The evaluator of conditions for any objects. */
export async function loadCel(): Promise<EvaluateCondition> {
  const [{ createRegex }, { weighPattern }] = await Promise.all([
    import("../adapters/regex/create-regex.ts"),
    import("../adapters/regex/weigh-pattern.ts"),
  ]);
  return createCel({ matchRegex: createRegex(), weighPattern });
}
