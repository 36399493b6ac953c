import type { PathNode } from "../../effective/paths/path-node.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { liesBelow } from "../../model/json-pointer.ts";
import { compareText, kindId, objectId } from "../../model/refs.ts";
import { namespaceOf } from "../contacts.ts";
import type { ObjectOrSection } from "../paths-through.ts";
import type { ChangedKind } from "../plan/plan-changes.ts";
import { trafficNodes } from "../plan/traffic-nodes.ts";
import { keepsValue } from "../plan/value-changes.ts";
import type { HowReach, ValueCount } from "./result.ts";
import type { UnitWish } from "./settings.ts";

/** The wanted settings that a reach is counted for. */
export interface ReachQuestion {
  readonly kind: CompiledKind;
  readonly target: ObjectOrSection;
  readonly settings: readonly UnitWish[];
  /** The wanted values that do not take effect yet. */
  readonly unmet: ValueCount;
}

/** Counts the values that change: the wanted ones on paths of the target, and all others. */
export function countReach(
  { kind, target, settings, unmet }: ReachQuestion,
  changed: readonly ChangedKind[],
): HowReach {
  const others = { values: 0, paths: 0 };
  const namespaces = new Set<string>();
  let sameValue = 0;
  for (const { policyKind, changes } of changed) {
    const isKind = kindId(policyKind) === kindId(kind.policyKind);
    for (const change of changes) {
      const isMeant = isKind && change.nodes.some((node) => isTarget(node, target));
      const differing = change.values.filter((value) => !keepsValue(value));
      sameValue += change.values.length - differing.length;
      const mine = isMeant ? differing.filter(({ pointer }) => settings.some((one) => isPartOf(pointer, one))) : [];
      add(others, differing.length - mine.length);
      if (differing.length > mine.length)
        for (const node of trafficNodes(change.nodes)) namespaces.add(namespaceOf(node));
    }
  }
  return { wanted: unmet, others: { ...others, namespaces: [...namespaces].sort(compareText) }, sameValue };
}

function add(count: { values: number; paths: number }, values: number): void {
  count.values += values;
  count.paths += values > 0 ? 1 : 0;
}

const isTarget = (node: PathNode, { id, sectionName }: ObjectOrSection): boolean =>
  objectId(node) === id && (sectionName === undefined || node.sectionName === sectionName);

/** True for the unit of the setting, and for values that the setting replaces or is in. */
const isPartOf = (pointer: string, setting: UnitWish): boolean =>
  pointer === setting.pointer || liesBelow(pointer, setting.pointer) || liesBelow(setting.pointer, pointer);
