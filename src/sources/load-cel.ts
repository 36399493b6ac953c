import type { EvaluateCondition } from "../core/model/cel.ts";
import { isJsonObject, type Json, ownValue } from "../core/model/json.ts";
import type { KubeObject } from "../core/model/kube-object.ts";

interface SomeObjects {
  readonly objects: { readonly values: () => Iterable<KubeObject> };
}

/** CEL is the largest part to load, and most policies have no conditions. */
export const hasConditions = (snapshot: SomeObjects): boolean => hasCondition(snapshot, () => true);

/** Only `matches` needs regular expressions. */
export const hasRegexConditions = (snapshot: SomeObjects): boolean =>
  hasCondition(snapshot, (when) => typeof when !== "string" || when.includes("matches"));

function hasCondition({ objects }: SomeObjects, is: (when: Json) => boolean): boolean {
  for (const { raw } of objects.values()) {
    const spec = ownValue(raw, "spec");
    if (!isJsonObject(spec)) continue;
    for (const name of ["overrides", "defaults", "override", "default"]) {
      const block = ownValue(spec, name);
      const when = isJsonObject(block) ? ownValue(block, "when") : undefined;
      if (when !== undefined && is(when)) return true;
    }
  }
  return false;
}

/** The evaluator of conditions that the command line and the servers use. */
export async function loadCel({ regex = true }: { readonly regex?: boolean } = {}): Promise<EvaluateCondition> {
  const { createCel } = await import("../adapters/cel/create-cel.ts");
  if (!regex) return createCel();
  const [{ createRegex }, { weighPattern }] = await Promise.all([
    import("../adapters/regex/create-regex.ts"),
    import("../adapters/regex/weigh-pattern.ts"),
  ]);
  return createCel({ matchRegex: createRegex(), weighPattern });
}
