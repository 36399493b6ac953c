import { nodesOf, type Path } from "../../effective/paths/path.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { problemsOf } from "../../effective/world/gateway-problems.ts";
import { refusalsOf } from "../../effective/world/link-indexes.ts";
import type { World } from "../../effective/world/world.ts";
import { likelyParametersProblem } from "../../infrastructure/parameters-problem.ts";
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import { formatRef, type ObjectRef, objectId, parseObjectId } from "../../model/refs.ts";
import type { ConditionProblem } from "../../topology/gateway-reason.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { forEachOwnPathThrough, forEachPathThrough, type ObjectOrSection } from "../paths-through.ts";
import { connectionsOf } from "./connections.ts";
import { ineffectivePolicies } from "./ineffective-policies.ts";
import { KindGroups } from "./kind-groups.ts";
import { ReachedSections } from "./reached-sections.ts";
import { reportedConditions } from "./reported-conditions.ts";
import type { Explanation, KindExplanation } from "./result.ts";

export interface ExplainOptions {
  /** `false`: every path is an outcome of its own, even if it equals another. */
  readonly group: boolean;
}

/** For each policy kind: what takes effect on the paths through a target; and which policies name the target without effect. */
export function explainTarget(world: World, target: ObjectOrSection, options: ExplainOptions): Explanation {
  const { group: apiGroup, kind, namespace, name } = parseObjectId(target.id);
  const section = target.sectionName === undefined ? {} : { sectionName: target.sectionName };
  const reached = new ReachedSections(target);
  const { kinds, absentParents } = explainKinds(world, target, options, (compiled, path) =>
    reached.add(compiled, path),
  );
  return {
    target: { group: apiGroup, kind, namespace, name, ...section },
    kinds,
    failures: ineffectivePolicies(world, target, reached),
    refusals: refusalsOf(world, target.id)
      .filter(({ code }) => code !== "ParentNotFound")
      .map(({ field, code, reason }) => ({ field, code, reason })),
    problems: problemsAt(world, target),
    connections: connectionsOf(world, target),
    absentParents,
    conditions: reportedConditions(world.objects.get(target.id), target.sectionName),
  };
}

/** The part of an explanation that is about effective policies. `onPath` is called for each path that has a policy. */
export function explainKinds(
  world: World,
  target: ObjectOrSection,
  { group }: ExplainOptions,
  onPath?: (kind: CompiledKind, path: Path) => void,
): Pick<Explanation, "kinds" | "absentParents"> {
  const kinds: KindExplanation[] = [];
  const absent = new Map<string, ObjectRef>();
  for (const compiled of world.rulebook.kinds) {
    const groups = new KindGroups(world, compiled, { group });
    const add = (path: Path, core: EffectiveSpec): void => {
      groups.add(path, core);
      if (path.incomplete) for (const ref of absentParentsAbove(world, path)) absent.set(objectId(ref), ref);
    };
    forEachPathThrough(world, compiled, target, (path, core) => {
      add(path, core);
      onPath?.(compiled, path);
    });
    forEachOwnPathThrough(world, compiled, target, add);
    const explanation = groups.explanation();
    if (explanation !== undefined) kinds.push(explanation);
  }
  for (const ref of world.links.get(target.id)?.absentParents ?? []) absent.set(objectId(ref), ref);
  return { kinds, absentParents: [...absent.values()].sort((a, b) => (formatRef(a) < formatRef(b) ? -1 : 1)) };
}

/** For a section only the problems of that section. */
function problemsAt(world: World, { id, sectionName }: ObjectOrSection): readonly ConditionProblem[] {
  const object = world.objects.get(id);
  if (object === undefined) return [];
  const parameters = likelyParametersProblem(world, object);
  const problems = [
    ...problemsOf(world, object).filter(({ reason }) => reason !== "InvalidParameters"),
    ...(parameters === undefined ? [] : [parameters]),
  ];
  if (sectionName === undefined || problems.length === 0) return problems;
  const facts = world.rulebook.factsOf(object.family.kindId);
  const section = facts === undefined ? undefined : sectionsOf(object, facts).find(({ name }) => name === sectionName);
  const list = facts?.sections.find((one) => one.section === section?.section);
  return problems.filter(({ field }) => `${field}.`.startsWith(`${list?.path}[${section?.index}].`));
}

function absentParentsAbove(world: World, path: Path): readonly ObjectRef[] {
  return nodesOf(path).flatMap(({ id }) => world.links.get(id)?.absentParents ?? []);
}
