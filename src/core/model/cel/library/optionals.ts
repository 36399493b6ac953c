/** Optional values of CEL: `optional.of(x)`, `a.?b`, `orValue`. */
import { isAnyMap, sizeOfMap } from "../maps.ts";
import { numericOf } from "../numbers.ts";
import { CelBytes, CelError, CelOptional, type CelValue, isList } from "../values.ts";
import { type FunctionTable, listArg, optionalArg } from "./arguments.ts";

/** An empty string, list, map or bytes, 0, false and null. */
function isZero(value: CelValue): boolean {
  const number = numericOf(value);
  if (number !== undefined) return Number(number) === 0;
  if (value === null || value === "" || value === false) return true;
  if (isList(value)) return value.length === 0;
  return value instanceof CelBytes ? value.bytes.length === 0 : isAnyMap(value) && sizeOfMap(value) === 0;
}

export const optionalFunctions: FunctionTable = {
  "optional.of/1": ([value]) => new CelOptional(value),
  "optional.ofNonZeroValue/1": ([value]) => new CelOptional(isZero(value as CelValue) ? undefined : value),
  "optional.none/0": () => new CelOptional(undefined),
  ".hasValue/0": ([value]) => optionalArg(value).value !== undefined,
  ".value/0": ([optional]) => {
    const { value } = optionalArg(optional);
    if (value === undefined) throw new CelError("optional.none() has no value");
    return value;
  },
  ".orValue/1": ([optional, other]) => optionalArg(optional).value ?? (other as CelValue),
  ".or/1": ([optional, other]) =>
    optionalArg(optional).value === undefined ? optionalArg(other) : optionalArg(optional),
  "optional.unwrap/1": ([items]) =>
    listArg(items).flatMap((item) => {
      const { value } = optionalArg(item);
      return value === undefined ? [] : [value];
    }),
  ".first/0": ([items]) => new CelOptional(listArg(items)[0]),
  ".last/0": ([items]) => new CelOptional(listArg(items).at(-1)),
};
