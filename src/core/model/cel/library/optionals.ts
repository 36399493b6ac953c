/** Optional values of CEL: `optional.of(x)`, `a.?b`, `orValue`. */
import { CelError, CelOptional, type CelValue, isList, isMap } from "../values.ts";
import { type FunctionTable, listArg, optionalArg } from "./arguments.ts";

/** An empty string, list or map, 0, false and null. */
const isZero = (value: CelValue): boolean =>
  value === null ||
  value === "" ||
  value === 0 ||
  value === false ||
  (isList(value) && value.length === 0) ||
  (isMap(value) && Object.keys(value).length === 0);

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
