/** The effect of a change for the owners of objects, as the texts of Kubernetes Events. */
import { type KindNames, kindNamesIn } from "../effective/findings/kind-names.ts";
import { fieldOfPointer } from "../effective/fold/field-of-pointer.ts";
import type { Delta, EffectiveChange, VerdictChange } from "../effective/update/delta.ts";
import type { Verdict } from "../effective/verdicts/verdict.ts";
import type { World } from "../effective/world/world.ts";
import type { EffectiveValue, ValueChange } from "../explain/plan/result.ts";
import { keepsValue, valueChanges } from "../explain/plan/value-changes.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import {
  compareText,
  formatRef,
  type GroupKind,
  kindId,
  type ObjectId,
  objectId,
  type PolicyId,
  parseObjectId,
} from "../model/refs.ts";
import { clipText } from "../model/words/clip-text.ts";
import { formatValue } from "../model/words/format-value.ts";
import type { Viewer } from "./view-context.ts";
import { VisibleValues } from "./visible-values.ts";

export interface ObjectEvent {
  readonly object: ObjectId;
  readonly type: "Normal" | "Warning";
  /** One word: `Overridden`, `ValuesChanged`. */
  readonly reason: string;
  readonly message: string;
}

export interface ChangeEvents {
  readonly events: readonly ObjectEvent[];
  /** The number of objects whose values change and that have no event, because there are too many. */
  readonly leftOut: number;
}

/** The longest note that the API server accepts has 1,024 characters. */
const MAX_MESSAGE = 1000;
const MAX_VALUES = 5;
/** One policy may reach every route of a cluster: an event for each would be the fanout that GEP-713 warns of. */
const MAX_TARGETS = 20;

/**
 * Events for owners
 *
 * A policy has an event when its verdict changes. A route or a Gateway has one when a value that takes effect on it changes, with the policy that it
 * comes from: its owner may not be able to read that policy. Values are shown as in the view API to a user who cannot read any policy.
 * GEP-713, "Application Developer Discoverability"
 */
export function changeEvents(
  { before, after }: { readonly before: World; readonly after: World },
  delta: Delta,
  isOwned: (policyKind: GroupKind) => boolean,
): ChangeEvents {
  const names = kindNamesIn(before, after);
  const verdicts = delta.verdicts
    .filter(({ policyKind }) => isOwned(policyKind))
    .flatMap((change) => verdictEvent(change, names));
  const texts = new Map<ObjectId, Set<string>>();
  const visible = {
    before: new VisibleValues({ world: before }, NO_RIGHTS),
    after: new VisibleValues({ world: after }, NO_RIGHTS),
  };
  for (const change of delta.effective) {
    if (!isOwned(change.policyKind) || change.before === undefined || change.after === undefined) continue;
    const changed = valueChanges(change.before, change.after).filter((one) => !keepsValue(one));
    if (changed.length === 0) continue;
    const lines = changed.map((one) => formatChange(one, visible, names));
    for (const object of ownersOf(after, change)) {
      const known = texts.get(object) ?? new Set();
      texts.set(object, known);
      for (const line of lines) known.add(line);
    }
  }
  const objects = [...texts].sort(([a], [b]) => compareText(a, b));
  return {
    events: [...verdicts, ...objects.slice(0, MAX_TARGETS).map(([object, lines]) => valuesEvent(object, [...lines]))],
    leftOut: Math.max(0, objects.length - MAX_TARGETS),
  };
}

const NO_RIGHTS: Viewer = { mayRead: () => false, maySee: () => false };

/** Only other words are news: another number of paths is not. A new policy is news if it does not take effect as a whole. */
function verdictEvent({ policy, before, after }: VerdictChange, names: KindNames): readonly ObjectEvent[] {
  if (after === undefined) return [];
  const [was, is] = [before === undefined ? undefined : wordOf(before), wordOf(after)];
  if (was === is || (was === undefined && is === "Enforced")) return [];
  const message = `${was === undefined ? "" : `was ${was}, is `}${is}${reasonsOf(policy, after, names)}`;
  const isGood = is === "Enforced" || is === "PartiallyEnforced";
  return [{ object: policy, type: isGood ? "Normal" : "Warning", reason: is, message: clipText(message, MAX_MESSAGE) }];
}

const wordOf = (verdict: Verdict): string => (verdict.state === "Accepted" ? verdict.enforcement : verdict.reason);

function reasonsOf(policy: PolicyId, verdict: Verdict, names: KindNames): string {
  if (verdict.state !== "Accepted") return `: ${names.inText(verdict.message, [parseObjectId(policy)])}`;
  const { overriddenBy } = verdict.total;
  const winners = overriddenBy.map(({ policy: winner }) => nameOf(winner, names));
  return winners.length === 0 ? "" : `, overridden by ${winners.join(", ")}`;
}

function nameOf(object: ObjectId, { kindName }: KindNames): string {
  const ref = parseObjectId(object);
  return formatRef({ ...ref, kind: kindName(ref) });
}

/** The routes and Gateways on the path that exist. */
function ownersOf({ objects, rulebook }: World, { path }: EffectiveChange): readonly ObjectId[] {
  const isOwner = (node: GroupKind): boolean =>
    (node.group === GATEWAY_API && node.kind === "Gateway") || rulebook.factsOf(kindId(node))?.route !== undefined;
  return [...new Set(path.filter(isOwner).map(objectId))].filter((id) => objects.has(id));
}

function formatChange(
  { pointer, before, after }: ValueChange,
  visible: { readonly before: VisibleValues; readonly after: VisibleValues },
  names: KindNames,
): string {
  const field = fieldOfPointer(pointer);
  const shown = (values: VisibleValues, value: EffectiveValue | undefined): string =>
    value === undefined
      ? "unset"
      : values.isEffectiveShown(value.source, { isMapped: value.field !== undefined })
        ? formatValue(value.value)
        : "(not shown)";
  const source = after?.source ?? before?.source;
  const by = source?.policy ?? source?.object ?? null;
  const from = by === null ? "" : `, ${after === undefined ? "was from" : "from"} ${nameOf(by, names)}`;
  return `${field} ${shown(visible.before, before)} → ${shown(visible.after, after)}${from}`;
}

function valuesEvent(object: ObjectId, lines: readonly string[]): ObjectEvent {
  const more = lines.length > MAX_VALUES ? `; and ${lines.length - MAX_VALUES} more` : "";
  const message = clipText(`${lines.slice(0, MAX_VALUES).join("; ")}${more}`, MAX_MESSAGE);
  return { object, type: "Normal", reason: "ValuesChanged", message };
}
