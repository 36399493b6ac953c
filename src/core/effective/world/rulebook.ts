import type { KindFacts } from "../../model/definition.ts";
import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { ParsedPolicy } from "../../model/parse/policy/parse-policy.ts";
import type { GroupKind, KindId } from "../../model/refs.ts";
import type { LinkRows } from "../../topology/compile-rows.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import type { HierarchyFacts, KindLevels } from "./kind-levels.ts";

/** The rules of an evaluation. They stay the same until a PolicyDefinition or a CRD changes; then everything is evaluated again. */
export interface Rulebook extends HierarchyFacts {
  readonly kinds: readonly CompiledKind[];
  /** The hierarchy of each of `kinds`. */
  readonly levels: readonly KindLevels[];
  readonly byPolicyKind: ReadonlyMap<KindId, CompiledKind>;
  readonly findKind: (group: string | undefined, kind: string) => KindFacts | undefined;
  /** True if the kind is built in or a definition describes it. A CRD alone does not describe a kind. */
  readonly isDescribed: (kind: KindId) => boolean;
  readonly rows: LinkRows;
  /** True for kinds whose objects others name as their parent. */
  readonly isParentByRef: (kind: KindId) => boolean;
  /** True for kinds of rows that definitions added to the link table: only among these can links form a cycle. */
  readonly isForeign: (kind: KindId) => boolean;
  /** True for kinds whose objects may be children by a reference that does not name them. */
  readonly isSelectedChild: (kind: KindId) => boolean;
  readonly parsePolicy: (object: KubeObject) => ParsedPolicy;
  readonly findings: readonly Finding[];
}

/** The kinds of objects that rules are read from. */
export const RULES: readonly GroupKind[] = [
  { kind: "PolicyDefinition", group: "prevail.dev" },
  { kind: "CustomResourceDefinition", group: "apiextensions.k8s.io" },
];

export const isRule = ({ group, kind }: GroupKind): boolean =>
  RULES.some((rule) => rule.kind === kind && rule.group === group);
