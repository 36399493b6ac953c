import { type CelValue, celEnv, isCelList, isCelMap } from "./cel-library.ts";

/** Opening a list or a map takes as long as comparing a few numbers. */
const CONTAINER_COST = 4;

const libraryEquality = celEnv().funcs.find("_==_");

/**
 * CEL equality, one pair at a time from a queue and each pair counted: values that nest without end take no stack, and
 * a value that contains another many times over (`[a, a]` of `[b, b]` of …) is not compared to its end.
 */
export function valueEquality(left: CelValue, right: CelValue, charge: (units: number) => void): boolean {
  const pending: [CelValue, CelValue][] = [[left, right]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [a, b] = next;
    charge(1 + textLength(a) / 64);
    if (a === b) continue;
    if (isCelList(a) && isCelList(b)) {
      if (a.size !== b.size) return false;
      charge(CONTAINER_COST + a.size);
      for (let at = 0; at < a.size; at++) pending.push([a.get(at) ?? null, b.get(at) ?? null]);
    } else if (isCelMap(a) && isCelMap(b)) {
      if (a.size !== b.size) return false;
      charge(CONTAINER_COST + a.size);
      for (const [key, value] of a) {
        const other = b.get(key);
        if (other === undefined) return false;
        pending.push([value, other]);
      }
    } else if (!equalScalars(a, b)) {
      return false;
    }
  }
  return true;
}

/** For two values that are not the same object or primitive. */
function equalScalars(a: CelValue, b: CelValue): boolean {
  if (typeof a === "string" || typeof a === "boolean" || a === null) return false;
  return libraryEquality?.call(0, undefined, [a, b]) === true;
}

function textLength(value: CelValue): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
}
