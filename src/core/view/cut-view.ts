import type { EffectivePolicyView, PolicyReachView } from "./view-types.ts";

/** Clients read an object whole, and etcd would refuse a larger one, so tools are not made for it. */
const MAX_VIEW_BYTES = 1_000_000;

/** Leaves out the last values of a view that would be too large, and says so. `maxBytes` is for tests. */
export function cutView<T extends EffectivePolicyView | PolicyReachView>(
  view: T,
  maxBytes: number = MAX_VIEW_BYTES,
): T {
  const all: readonly T["values"][number][] = view.values;
  const kept: T["values"][number][] = [];
  let left = maxBytes - sizeOf({ ...view, values: [] });
  for (const value of all) {
    left -= sizeOf(value) + 1;
    if (left < 0) break;
    kept.push(value);
  }
  if (kept.length === all.length) return view;
  const what = "target" in view ? "kubectl prevail explain" : "kubectl prevail reach";
  const note = `${all.length - kept.length} of ${all.length} values are left out, because the object would be larger than ${maxBytes} bytes; '${what} --via direct' shows them all`;
  return { ...view, values: kept, notes: [...view.notes, note] };
}

/** The bytes of the JSON text. A character of a name or a value has at most three bytes per UTF-16 unit. */
function sizeOf(value: object): number {
  const text = JSON.stringify(value);
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) bytes += code > 0x7ff ? 2 : 1;
  }
  return bytes;
}
