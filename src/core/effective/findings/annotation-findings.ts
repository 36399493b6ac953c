import { meaninglessValue } from "../../merge/annotated-strategy.ts";
import type { StrategyAnnotation } from "../../model/definition.ts";
import type { Finding } from "../../model/finding.ts";
import { didYouMean } from "../../model/words/did-you-mean.ts";
import { formatValue } from "../../model/words/format-value.ts";
import type { World } from "../world/world.ts";

/** Annotations that should select a strategy between policies, with a value that has no meaning: the strategy is then another one. */
export function annotationFindings(world: World): readonly Finding[] {
  return world.rulebook.kinds.flatMap(({ index, definition, policyKind }) => {
    const { decidedBy, annotation } = definition.merge;
    if (decidedBy !== "Annotation" || annotation === undefined) return [];
    const found: Finding[] = [];
    world.attached[index]?.forEach((_, id) => {
      const object = world.objects.get(id);
      const value = object === undefined ? undefined : meaninglessValue(annotation, object);
      if (object === undefined || value === undefined) return;
      found.push({
        code: "UnknownAnnotationValue",
        severity: "warning",
        object: id,
        field: `metadata.annotations[${annotation.key}]`,
        message: formatMessage(annotation, value, policyKind.kind),
        ...(object.source === undefined ? {} : { source: object.source }),
      });
    });
    return found;
  });
}

function formatMessage({ key, values }: StrategyAnnotation, value: string, kind: string): string {
  const words = Object.keys(values);
  return `metadata.annotations[${key}] is ${formatValue(value)}, which has no meaning for ${kind}; allowed: ${words.join(", ")}${didYouMean(value, words)}`;
}
