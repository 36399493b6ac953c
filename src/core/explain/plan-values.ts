/** Two effective policies of one path, value by value. */
import type { EffectivePolicy } from "../effective/fold/effective-policy.ts";
import { foldsOf } from "../effective/fold/folds-of.ts";
import { jsonEqual } from "../model/json.ts";
import { compareText } from "../model/refs.ts";
import type { HeldValue, ValueChange } from "./plan.ts";
import { valueAt } from "./value-place.ts";

/** Values that differ, and values that somebody else decides now. What only lost to somebody else is no change. */
export function valueChanges(
  before: EffectivePolicy | undefined,
  after: EffectivePolicy | undefined,
): readonly ValueChange[] {
  const [old, now] = [heldIn(before), heldIn(after)];
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

/** Somebody else decides it, and says the same. */
export const keepsValue = ({ before, after }: ValueChange): boolean =>
  before !== undefined && after !== undefined && jsonEqual(before.value, after.value);

/** By item and pointer. */
function heldIn(effective: EffectivePolicy | undefined): ReadonlyMap<string, HeldValue> {
  const held = new Map<string, HeldValue>();
  for (const { spec, sources, field } of effective === undefined ? [] : foldsOf(effective)) {
    for (const source of sources) {
      const value = valueAt(spec, source.pointer);
      if (value === undefined || (source.policy === null && source.object === undefined)) continue;
      const key = field === undefined ? source.pointer : `${field.object}\n${field.pointer}\n${source.pointer}`;
      held.set(key, { value, source, ...(field === undefined ? {} : { field }) });
    }
  }
  return held;
}

function isSame(was: HeldValue | undefined, is: HeldValue | undefined): boolean {
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
