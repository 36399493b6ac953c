import { affectedTargets } from "../../core/effective/verdicts/affected-targets.ts";
import { virtualObjects } from "../../core/effective/world/implied-objects.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { attachableLevels } from "../../core/model/levels.ts";
import {
  type KindId,
  kindId,
  type ObjectId,
  objectId,
  type PolicyId,
  parseObjectId,
  type TargetId,
} from "../../core/model/refs.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import { sectionsOf } from "../../core/topology/sections-of.ts";
import { openRef, refJson } from "../print/data/effective-json.ts";
import { printList } from "../print/data/print-list.ts";
import { formatFirst } from "../print/format/format-target.ts";
import type { Column, Table } from "../print/terminal/layout-table.ts";
import { type FoundTarget, isListed } from "../target/find-targets.ts";
import { resourceName } from "../target/resource-name.ts";
import type { GetContext } from "./get-context.ts";
import { type NameColumns, printNamed } from "./name-columns.ts";

interface ListedPolicy {
  readonly policy: PolicyId;
  readonly sectionName: string | undefined;
}

/** A target and its policies. */
export interface TargetRow {
  readonly target: FoundTarget;
  readonly sections: readonly string[];
  readonly attached: readonly ListedPolicy[];
  /** The policies that take effect on a path through the target. */
  readonly affectedBy: readonly PolicyId[];
  /** The policies that take effect on incomplete paths only. */
  readonly possiblyAffectedBy: readonly PolicyId[];
}

/** Prints the targets and returns their number. Undefined: they cannot be sorted as asked for. */
export function getTargets(get: GetContext): number | undefined {
  const { context } = get;
  const { print, output } = context;
  const rows = get.sort(targetRows(get), (row) => targetJson(row, get));
  if (rows === undefined) return undefined;
  if (output === "json" || output === "yaml") {
    printList(print, output, {
      kind: "TargetList",
      items: rows.map((row) => targetJson(row, get)),
      caveats: get.caveats,
    });
    return rows.length;
  }
  if (output === "name") {
    for (const { target } of rows) print.line(resourceName(target.ref));
    return rows.length;
  }
  if (rows.length === 0) return 0;
  printNamed(context, { scope: get.scope, nameKind: get.redaction.kindName }, (names) => targetTable(rows, names, get));
  return rows.length;
}

function targetTable(
  rows: readonly TargetRow[],
  names: NameColumns,
  { context, source, redaction }: GetContext,
): Table {
  const wide = context.output === "wide";
  const columns: readonly Column[] = [
    ...names.columns,
    { header: "SECTIONS", flexible: true, optional: 1 },
    { header: "ATTACHED", flexible: true, least: 20, optional: 2 },
    { header: "AFFECTED BY", flexible: true, least: 20 },
    ...(wide ? [{ header: "FILE" }] : []),
  ];
  const some = { all: wide || context.print.isUnlimited };
  return {
    columns,
    rows: rows.map((row) => {
      const { ref, id } = row.target;
      const position = source.locate(id);
      const { attached, affecting } = policyWords(row, redaction);
      return [
        ...names.cells(ref),
        formatFirst(row.sections, some),
        formatFirst(attached, some),
        formatFirst(affecting, some),
        ...(wide ? [position === undefined ? "-" : formatLine(position)] : []),
      ];
    }),
  };
}

/** The names of the policies that are attached to a target, and of those that take effect on it. */
export function policyWords(
  { attached, affectedBy, possiblyAffectedBy }: TargetRow,
  redaction: GetContext["redaction"],
): { readonly attached: readonly string[]; readonly affecting: readonly string[] } {
  return {
    attached: distinct(attached.map(({ policy }) => shortName(policy, redaction))),
    affecting: distinct([
      ...affectedBy.map((policy) => shortName(policy, redaction)),
      ...possiblyAffectedBy.map((policy) => `${shortName(policy, redaction)} (incomplete)`),
    ]),
  };
}

const distinct = (words: readonly string[]): readonly string[] => [...new Set(words)];

function shortName(policy: PolicyId, { isHidden }: GetContext["redaction"]): string {
  const { kind, name } = parseObjectId(policy);
  return isHidden(policy) ? "(hidden)" : `${kind}/${name}`;
}

/** The named targets, or all, with their policies. */
export function targetRows(get: Pick<GetContext, "world" | "targets" | "scope">): readonly TargetRow[] {
  const { world } = get;
  const affected = new Map<TargetId, Pick<TargetRow, "affectedBy" | "possiblyAffectedBy">>();
  for (const { target, policies, possibly } of affectedTargets(world)) {
    const known = affected.get(target) ?? NOT_AFFECTED;
    affected.set(target, {
      affectedBy: [...known.affectedBy, ...policies].sort(),
      possiblyAffectedBy: [...known.possiblyAffectedBy, ...possibly].sort(),
    });
  }
  const attached = attachedTo(world);
  return targetsOf(get).map((target) => {
    const sections = sectionNames(world, target.object);
    const own = target.sectionName === undefined ? target.id : `${target.id}#${target.sectionName}`;
    return {
      target,
      sections: target.sectionName === undefined ? sections : [target.sectionName],
      attached: (attached.get(target.id) ?? []).filter(
        ({ sectionName }) => target.sectionName === undefined || sectionName === target.sectionName,
      ),
      ...(affected.get(own as TargetId) ?? NOT_AFFECTED),
    };
  });
}

const NOT_AFFECTED: Pick<TargetRow, "affectedBy" | "possiblyAffectedBy"> = { affectedBy: [], possiblyAffectedBy: [] };

/** The named targets. Without names: every object of a kind that a policy kind can target. */
function targetsOf({ world, targets, scope }: Pick<GetContext, "world" | "targets" | "scope">): readonly FoundTarget[] {
  if (targets !== undefined) return targets;
  const kinds = new Set<KindId>(
    world.rulebook.kinds.flatMap(({ definition }) =>
      attachableLevels(definition.targeting).map((level) => kindId(level)),
    ),
  );
  const found: FoundTarget[] = [];
  const virtual = virtualObjects(world);
  for (const kind of [...kinds].sort()) {
    for (const object of world.objects.ofKind(kind)) {
      if (isListed(object, scope)) found.push({ id: object.id, ref: object.ref, object });
    }
    for (const ref of virtual)
      if (kindId(ref) === kind && isListed({ ref, raw: {} }, scope)) found.push({ id: objectId(ref), ref });
  }
  return found;
}

function sectionNames(world: World, object: KubeObject | undefined): readonly string[] {
  const facts = object === undefined ? undefined : world.rulebook.factsOf(kindId(object.ref));
  return object === undefined || facts === undefined ? [] : sectionsOf(object, facts).map(({ name }) => name);
}

function attachedTo(world: World): ReadonlyMap<ObjectId, readonly ListedPolicy[]> {
  const table = new Map<ObjectId, ListedPolicy[]>();
  world.policies.forEach(({ targets }, policy) => {
    for (const { object, sectionName } of targets.attachments) {
      const known = table.get(object) ?? [];
      known.push({ policy, sectionName });
      table.set(object, known);
    }
  });
  for (const all of table.values()) all.sort((a, b) => (a.policy < b.policy ? -1 : 1));
  return table;
}

function targetJson(
  { target, sections, attached, affectedBy, possiblyAffectedBy }: TargetRow,
  { source, redaction }: GetContext,
): object {
  const at = source.locate(target.id);
  return {
    target: {
      ...openRef(target.id),
      ...(target.sectionName === undefined ? {} : { sectionName: target.sectionName }),
    },
    ...(at === undefined ? {} : { at }),
    sections,
    attached: attached.map(({ policy, sectionName }) => ({
      policy: refJson(policy, redaction),
      ...(sectionName === undefined ? {} : { sectionName }),
    })),
    affectedBy: affectedBy.map((policy) => refJson(policy, redaction)),
    possiblyAffectedBy: possiblyAffectedBy.map((policy) => refJson(policy, redaction)),
  };
}
