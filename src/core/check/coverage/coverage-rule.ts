import type { LevelKind } from "../../model/definition.ts";
import type { Severity } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { LabelSelector } from "../../model/policy.ts";
import type { GroupKind, ObjectRef } from "../../model/refs.ts";
import type { COVERAGE_ENFORCEMENTS } from "../../model/schema/own-kinds/coverage-rule-schema.ts";

/** A condition that every effective policy must meet: its targets, the policy kind, and the condition in CEL. */
export interface CoverageRule {
  readonly object: KubeObject;
  readonly levels: readonly LevelKind[];
  /** Only targets below one of these; empty: all. */
  readonly under: readonly CoverageParent[];
  /** Names; empty: all. */
  readonly namespaces: readonly string[];
  readonly namespaceSelector: LabelSelector | undefined;
  /** On the labels of the target object. */
  readonly selector: LabelSelector | undefined;
  readonly policyKind: GroupKind;
  readonly condition: string;
  readonly message: string;
  readonly severity: Severity;
  /** The reaction of the admission webhooks to a change that breaks the rule. */
  readonly enforce: (typeof COVERAGE_ENFORCEMENTS)[number];
}

export interface CoverageParent {
  readonly ref: ObjectRef;
  readonly sectionName: string | undefined;
}
