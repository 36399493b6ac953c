/** One CoverageRule in one world: its targets, and the targets that do not meet it. */

import { foldPath } from "../../effective/fold/fold-path.ts";
import { absentAbove } from "../../effective/paths/absent-above.ts";
import { type Node, nodesOf, type Path, plainPath, targetOf } from "../../effective/paths/path.ts";
import { PathFinder } from "../../effective/paths/path-finder.ts";
import type { PathNode } from "../../effective/paths/path-node.ts";
import type { PathScope } from "../../effective/paths/path-scope.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { namespaceLabels } from "../../effective/world/contexts.ts";
import type { WithPolicies } from "../../effective/world/world.ts";
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { EvaluateCondition } from "../../model/cel.ts";
import { isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "../../model/json.ts";
import { valueAtPointer } from "../../model/json-pointer.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { labelsOf } from "../../model/kube-object.ts";
import {
  formatRef,
  isNamespace,
  type KindId,
  kindId,
  type ObjectId,
  objectId,
  type PolicyId,
  splitId,
  type TargetId,
  targetId,
} from "../../model/refs.ts";
import { matchesSelector } from "../../topology/matches-selector.ts";
import { type Section, sectionsOf } from "../../topology/sections-of.ts";
import type { CoverageParent, CoverageRule } from "./coverage-rule.ts";
import { isBelowAny } from "./is-below-any.ts";

export interface Coverage {
  /** The number of targets of the rule. */
  readonly targets: number;
  readonly uncovered: readonly UncoveredTarget[];
  /** The errors of the condition, each once. */
  readonly errors: readonly string[];
  /** Targets below objects that the snapshot does not have, and those objects. */
  readonly unjudged: readonly string[];
  readonly absent: readonly string[];
  /** False for Direct kinds, whose paths are the target alone. */
  readonly hasPaths: boolean;
}

export interface UncoveredTarget {
  readonly node: PathNode;
  readonly object: ObjectId;
  /** The field of the section in its object. */
  readonly field: string | undefined;
  readonly path: readonly PathNode[];
  readonly from: string | undefined;
  paths: number;
  readonly policies: readonly PolicyId[];
  /** The values that the condition reads, if they are set. */
  readonly read: readonly ReadValue[];
  readonly problem: string | undefined;
}

/** A value that the condition reads. */
export interface ReadValue {
  readonly pointer: string;
  readonly value: Json;
  /** Absent: the object itself set it. */
  readonly policy: PolicyId | undefined;
}

/** `scope`: only these paths, and of Direct kinds only these objects. */
export function coverageOf(
  world: WithPolicies,
  rule: CoverageRule,
  kind: CompiledKind,
  cel: EvaluateCondition,
  scope?: PathScope,
): Coverage {
  const [coverage] = coveragesOf(world, [rule], kind, cel, scope);
  if (coverage === undefined) throw new Error("one rule has one coverage");
  return coverage;
}

/** The coverage of each of several rules about one policy kind. The paths are found once for all rules. */
export function coveragesOf(
  world: WithPolicies,
  rules: readonly CoverageRule[],
  kind: CompiledKind,
  cel: EvaluateCondition,
  scope?: PathScope,
): readonly Coverage[] {
  const judges = rules.map((rule) => new Judge(world, rule, kind, cel));
  const objectsOf = (id: KindId): readonly KubeObject[] =>
    scope === undefined ? world.objects.ofKind(id) : objectsIn(world, scope, id);
  const finder = new PathFinder(world, kind, scope === undefined ? {} : { scope });
  const isDirect = kind.definition.class === "Direct";
  if (isDirect) for (const judge of judges) judgeDirect(world, kind, { judge, finder, objectsOf });
  else judgePaths(kind, judges, { finder, objectsOf });
  return judges.map((judge) => judge.result(!isDirect));
}

/** Everything that a rule is judged with. */
interface Judges {
  readonly judge: Judge;
  readonly finder: PathFinder;
  readonly objectsOf: (kind: KindId) => readonly KubeObject[];
}

const objectsIn = ({ objects }: WithPolicies, { touched }: PathScope, kind: KindId): readonly KubeObject[] =>
  [...touched].flatMap((id) => (splitId(id).kind === kind ? (objects.get(id) ?? []) : []));

function judgePaths(
  kind: CompiledKind,
  judges: readonly Judge[],
  { finder, objectsOf }: Pick<Judges, "finder" | "objectsOf">,
): void {
  for (const end of kind.ends.keys()) {
    objectsOf(end).forEach((object) => {
      finder.forEachPathTo(object, (path) => {
        let core: EffectiveSpec | undefined;
        const coreOf = (): EffectiveSpec => {
          core ??= foldPath(path, kind);
          return core;
        };
        for (const judge of judges) judgePath(judge, path, coreOf);
      });
    });
  }
}

function judgePath(judge: Judge, path: Path, coreOf: () => EffectiveSpec): void {
  const { rule } = judge;
  // The lowest node counts.
  let at: Path | undefined = path;
  while (at !== undefined && !isMeant(rule, at.node)) at = at.up;
  if (at === undefined || !judge.isSelected(at.node.id, at.node.ref.namespace) || !isUnder(rule.under, at)) return;
  judge.path(at.node, path, coreOf);
}

const isMeant = ({ levels }: CoverageRule, { ref, section }: Node): boolean =>
  levels.some((level) => level.kind === ref.kind && level.group === ref.group && level.section === section?.section);

/** True if a node of the path is one of these objects, or in one of these Namespaces. */
function isUnder(under: readonly CoverageParent[], path: Path): boolean {
  if (under.length === 0) return true;
  const above = nodesOf(path);
  return under.some(({ ref, sectionName }) =>
    above.some(({ id, ref: own, section }) =>
      isNamespace(ref)
        ? own.namespace === ref.name || id === objectId(ref)
        : id === objectId(ref) && (sectionName === undefined || section?.name === sectionName),
    ),
  );
}

/** Direct kinds: each object is judged on its own, including those without a policy. */
function judgeDirect(world: WithPolicies, kind: CompiledKind, { judge, finder, objectsOf }: Judges): void {
  const { rule } = judge;
  for (const { section: wanted, ...level } of rule.levels) {
    const facts = world.rulebook.factsOf(kindId(level));
    const end = kind.ends.get(kindId(level));
    objectsOf(kindId(level)).forEach((object) => {
      const { id } = object;
      if (!judge.isSelected(id, object.family.namespace) || !isBelowAny(world, id, rule.under)) return;
      const cores = new Map<string, EffectiveSpec>();
      finder.forEachPathTo(object, (path) => cores.set(path.node.section?.name ?? "", foldPath(path, kind)));
      const sections = facts === undefined ? [] : sectionsOf(object, facts);
      const parts = sections.filter(({ section }) => end?.sections.has(section));
      // An object without any policy is one finding, not one for each of its ports.
      const judged =
        wanted !== undefined ? parts.filter(({ section }) => section === wanted) : cores.size === 0 ? [] : parts;
      if (judged.length === 0 && wanted === undefined) judge.direct(object, undefined, cores.get(""));
      for (const part of judged) judge.direct(object, part, cores.get(part.name));
    });
  }
}

/** The outcome of the condition on one effective policy. */
interface ConditionResult {
  readonly isMet: boolean;
  readonly problem: string | undefined;
}

class Judge {
  readonly rule: CoverageRule;
  readonly #world: WithPolicies;
  readonly #kind: CompiledKind;
  readonly #cel: EvaluateCondition;
  readonly #targets: Set<TargetId> = new Set();
  readonly #uncovered: Map<TargetId, UncoveredTarget> = new Map();
  readonly #errors: Set<string> = new Set();
  readonly #unjudged: Set<string> = new Set();
  readonly #absent: Set<string> = new Set();
  /** A condition that does not read the target has one outcome for all paths that share a fold. */
  readonly #known: Map<EffectiveSpec, ConditionResult> = new Map();
  readonly #readsTarget: boolean;
  /** True if the rule selects neither by Namespace nor by label. */
  readonly #selectsAll: boolean;
  /** Pointers that the condition reads, guessed from its text. Used for messages only. */
  readonly #reads: readonly string[];
  readonly #selected: Map<ObjectId, boolean> = new Map();

  constructor(world: WithPolicies, rule: CoverageRule, kind: CompiledKind, cel: EvaluateCondition) {
    this.#world = world;
    this.rule = rule;
    this.#kind = kind;
    this.#cel = cel;
    const { namespaces, namespaceSelector, selector } = rule;
    this.#selectsAll = namespaces.length === 0 && namespaceSelector === undefined && selector === undefined;
    this.#readsTarget = rule.condition.includes("self");
    this.#reads = [...rule.condition.matchAll(/\bspec((?:\.[A-Za-z_]\w*)+)/g)].map(([, path = ""]) =>
      path.replaceAll(".", "/"),
    );
  }

  isSelected(id: ObjectId, namespace: string): boolean {
    if (this.#selectsAll) return true;
    let known = this.#selected.get(id);
    if (known === undefined) {
      known = this.#select(id, namespace);
      this.#selected.set(id, known);
    }
    return known;
  }

  #select(id: ObjectId, namespace: string): boolean {
    const { namespaces, namespaceSelector, selector } = this.rule;
    if (namespaces.length > 0 && !namespaces.includes(namespace)) return false;
    if (namespaceSelector !== undefined) {
      const labels = namespaceLabels(this.#world.objects, namespace);
      if (namespace === "" || !matchesSelector(namespaceSelector, labels)) return false;
    }
    return selector === undefined || matchesSelector(selector, labelsOf(this.#world.objects.get(id)));
  }

  path(node: Node, path: Path, coreOf: () => EffectiveSpec): void {
    const { section } = node;
    const target = targetOf(node);
    this.#targets.add(target);
    if (path.incomplete) {
      this.#unjudged.add(formatRef(node.ref, section?.name));
      for (const ref of absentAbove(this.#world, this.#kind, path)) this.#absent.add(formatRef(ref));
      return;
    }
    const core = coreOf();
    const shownNode = (): PathNode => ({
      ...node.ref,
      ...(section === undefined ? {} : { sectionName: section.name }),
    });
    const judgement = this.#judge(core, () => ({ target: shownNode(), path: plainPath(path), from: path.from }));
    if (judgement.isMet) return;
    const known = this.#uncovered.get(target);
    if (known !== undefined) {
      known.paths++;
      return;
    }
    this.#uncovered.set(target, {
      node: shownNode(),
      object: node.id,
      field: this.#fieldOf(node.id, section),
      path: plainPath(path),
      from: path.from,
      paths: 1,
      policies: policiesInEffect(core),
      read: this.#valuesRead(core),
      problem: judgement.problem,
    });
  }

  direct(object: KubeObject, section: Section | undefined, core: EffectiveSpec | undefined): void {
    const shown: PathNode = { ...object.ref, ...(section === undefined ? {} : { sectionName: section.name }) };
    const name = targetId(object.id, section?.name);
    this.#targets.add(name);
    const judgement =
      core === undefined
        ? this.#evaluate({}, { target: shown, path: [shown], from: undefined })
        : this.#judge(core, () => ({ target: shown, path: [shown], from: undefined }));
    if (judgement.isMet || this.#uncovered.has(name)) return;
    this.#uncovered.set(name, {
      node: shown,
      object: object.id,
      field: this.#fieldOf(object.id, section),
      path: [shown],
      from: undefined,
      paths: 1,
      policies: core === undefined ? [] : policiesInEffect(core),
      read: core === undefined ? [] : this.#valuesRead(core),
      problem: judgement.problem,
    });
  }

  result(hasPaths: boolean): Coverage {
    return {
      targets: this.#targets.size,
      uncovered: [...this.#uncovered.values()],
      errors: [...this.#errors],
      unjudged: [...this.#unjudged],
      absent: [...this.#absent],
      hasPaths,
    };
  }

  #judge(core: EffectiveSpec, about: () => About): ConditionResult {
    const known = this.#readsTarget ? undefined : this.#known.get(core);
    if (known !== undefined) return known;
    // If the kind maps onto list items, the condition must be true for each item.
    const { fields } = core;
    const specs = fields.length === 0 ? [core.spec] : fields.map(({ spec }) => withItem(core.spec, spec));
    let judgement: ConditionResult = { isMet: true, problem: undefined };
    for (const spec of specs) if (judgement.isMet) judgement = this.#evaluate(spec, about());
    this.#known.set(core, judgement);
    return judgement;
  }

  #evaluate(spec: JsonObject, { target, path, from }: About): ConditionResult {
    const self = { spec, target, path, ...(from === undefined ? {} : { from }) };
    const outcome = this.#cel(this.rule.condition, { spec, self });
    switch (outcome.state) {
      case "value":
        return { isMet: outcome.value, problem: undefined };
      case "missing":
        return { isMet: false, problem: outcome.message };
      case "error":
        // A mistake in the rule, not in the target: reported once.
        this.#errors.add(outcome.message);
        return { isMet: true, problem: undefined };
    }
  }

  /** `spec.retry.attempts` in the condition is the value at `/retry/attempts`. */
  #valuesRead({ spec, sources, ownSources }: EffectiveSpec): readonly ReadValue[] {
    return sources.flatMap(({ pointer, policy }, at): readonly ReadValue[] => {
      const isRead = this.#reads.some((read) => pointer === read || pointer.startsWith(`${read}/`));
      if (!isRead || (policy === null && !ownSources.includes(at))) return [];
      const value = valueAtPointer(spec, pointer);
      // A null that deleted the value leaves no value.
      return value === undefined ? [] : [{ pointer, value, policy: policy ?? undefined }];
    });
  }

  #fieldOf(id: ObjectId, section: Section | undefined): string | undefined {
    const object = this.#world.objects.get(id);
    const facts = object === undefined ? undefined : this.#world.rulebook.factsOf(object.family.kindId);
    const list = facts?.sections.find((own) => own.section === section?.section);
    return section === undefined || list === undefined ? undefined : `${list.path}[${section.index}]`;
  }
}

/** The spec with the values of one item. */
function withItem(spec: JsonObject, more: JsonObject): JsonObject {
  const both: { [key: string]: Json } = { ...spec };
  for (const key of Object.keys(more)) {
    const [own, other] = [ownValue(spec, key), more[key] ?? null];
    setOwn(both, key, isJsonObject(own) && isJsonObject(other) ? withItem(own, other) : other);
  }
  return both;
}

interface About {
  readonly target: PathNode;
  readonly path: readonly PathNode[];
  readonly from: string | undefined;
}

/** The policies that take effect there. */
function policiesInEffect({ outcomes }: EffectiveSpec): readonly PolicyId[] {
  return outcomes.filter(({ inEffect }) => inEffect > 0).map(({ policy }) => policy.id);
}
