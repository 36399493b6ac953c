/** Compares two effective policies of one path by value. */
import type { EffectivePolicy } from "../../effective/fold/effective-policy.ts";
import { specAndFields } from "../../effective/fold/spec-and-fields.ts";
import { jsonEqual } from "../../model/json.ts";
import { valueAtPointer } from "../../model/json-pointer.ts";
import { compareText } from "../../model/refs.ts";
import type { EffectiveValue, RemovalChange, ValueChange } from "./result.ts";

/** Values that differ, and values whose source differs. Overridden values do not count. */
export function valueChanges(
  before: EffectivePolicy | undefined,
  after: EffectivePolicy | undefined,
): readonly ValueChange[] {
  const [old, now] = [effectiveValues(before), effectiveValues(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort(compareText);
  return keys.flatMap((key): readonly ValueChange[] => {
    const [was, is] = [old.get(key), now.get(key)];
    const one = is ?? was;
    if (one === undefined || isSame(was, is)) return [];
    return [
      {
        pointer: one.source.pointer,
        ...(was === undefined ? {} : { before: was }),
        ...(is === undefined ? {} : { after: is }),
      },
    ];
  });
}

/** Compares values. Paths with the same policies share their specs, so each pair of specs is compared once. */
export function valueComparison(): typeof valueChanges {
  const known = new Map<object, Map<object, readonly ValueChange[]>>();
  return (before, after) => {
    // Fields belong to the objects of one path, and so do sources of objects' own values, which are not shared.
    if (before === undefined || after === undefined || hasFields(before) || hasFields(after))
      return valueChanges(before, after);
    let fromThere = known.get(before.sources);
    if (fromThere === undefined) {
      fromThere = new Map();
      known.set(before.sources, fromThere);
    }
    const found = fromThere.get(after.sources) ?? valueChanges(before, after);
    fromThere.set(after.sources, found);
    return found;
  };
}

const hasFields = ({ fields = [] }: EffectivePolicy): boolean => fields.length > 0;

const NO_REMOVALS: readonly RemovalChange[] = [];

/** Entries of `remove` that take effect before or after the change only. */
export function removalChanges(
  before: EffectivePolicy | undefined,
  after: EffectivePolicy | undefined,
): readonly RemovalChange[] {
  // A change may reach many paths, and few policies remove anything.
  if (before?.removals === undefined && after?.removals === undefined) return NO_REMOVALS;
  const [old, now] = [removalsInEffect(before), removalsInEffect(after)];
  return [...new Set([...old.keys(), ...now.keys()])].sort(compareText).flatMap((key): readonly RemovalChange[] => {
    const [was, is] = [old.get(key), now.get(key)];
    if (was !== undefined && is === undefined) return [{ ...was, change: "noLongerInEffect" }];
    return was === undefined && is !== undefined ? [{ ...is, change: "nowInEffect" }] : [];
  });
}

function removalsInEffect(effective: EffectivePolicy | undefined): ReadonlyMap<string, Omit<RemovalChange, "change">> {
  const inEffect = (effective?.removals ?? []).filter(({ state }) => state === "inEffect");
  return new Map(inEffect.map(({ policy, entry }) => [`${policy}\n${entry}`, { policy, entry }]));
}

/** True if the source changes and the value does not. */
export const keepsValue = ({ before, after }: ValueChange): boolean =>
  before !== undefined && after !== undefined && jsonEqual(before.value, after.value);

/** The values that take effect, by item and pointer. */
function effectiveValues(effective: EffectivePolicy | undefined): ReadonlyMap<string, EffectiveValue> {
  const values = new Map<string, EffectiveValue>();
  for (const { spec, sources, field } of effective === undefined ? [] : specAndFields(effective)) {
    for (const source of sources) {
      const value = valueAtPointer(spec, source.pointer);
      if (value === undefined || (source.policy === null && source.object === undefined)) continue;
      const key = field === undefined ? source.pointer : `${field.object}\n${field.pointer}\n${source.pointer}`;
      values.set(key, { value, source, ...(field === undefined ? {} : { field }) });
    }
  }
  return values;
}

function isSame(was: EffectiveValue | undefined, is: EffectiveValue | undefined): boolean {
  if (was === undefined || is === undefined) return was === is;
  const [a, b] = [was.source, is.source];
  return (
    jsonEqual(was.value, is.value) &&
    a.policy === b.policy &&
    a.block === b.block &&
    a.object === b.object &&
    a.computed === b.computed
  );
}
