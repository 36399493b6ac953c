/** Findings about the annotation that ignores findings: a mistyped code would ignore nothing. */
import type { World } from "../../effective/world/world.ts";
import { findingCodes } from "../../model/finding-codes.ts";
import { annotationOf, type KubeObject } from "../../model/kube-object.ts";
import { didYouMean } from "../../model/words/did-you-mean.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

/** The annotation on an object that ignores findings about it: `prevail.dev/ignore: NeverTakesEffect,StatusDiffers`. */
const IGNORE_ANNOTATION = "prevail.dev/ignore";

const known: ReadonlySet<string> = new Set(Object.keys(findingCodes));

/** The words of the annotation. They are codes of findings, unless they are mistyped. */
export function ignoredCodes(object: Pick<KubeObject, "raw">): readonly string[] {
  const text = annotationOf(object, IGNORE_ANNOTATION);
  return text === undefined ? [] : text.split(/[\s,]+/).filter((word) => word !== "");
}

export function checkIgnoredCodes({ objects, refused }: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const check = (object: KubeObject): void => {
    for (const word of ignoredCodes(object)) {
      if (known.has(word)) continue;
      findings.push(
        findingAt(object, {
          code: "UnknownIgnoredCode",
          severity: "error",
          field: `metadata.annotations["${IGNORE_ANNOTATION}"]`,
          message: `the annotation ${IGNORE_ANNOTATION} has '${word}', which is not the code of a finding${didYouMean(word, [...known])}`,
          fix: "Write codes of findings, separated by commas. 'prevail check --list' lists them.",
        }),
      );
    }
  };
  objects.forEach(check);
  refused.forEach(({ object }) => check(object));
  return findings;
}
