import type { Source } from "../../merge/provenance.ts";
import { type Json, type JsonObject, jsonEqual } from "../../model/json.ts";
import { liesBelow, valueAtPointer } from "../../model/json-pointer.ts";
import { SERVICE } from "../../model/kinds.ts";
import { formatRef, kindId, type ObjectRef, parseObjectId } from "../../model/refs.ts";
import type { PathOutcome } from "../explain/result.ts";
import type { GatewayTrace, MeshTrace } from "../trace/result.ts";
import { type ExpectationCheck, type ExpectedSetting, isNamed, type TestCase } from "./policy-test.ts";

/** Compares values, and the policies that they come from, with what is expected. Each expectation must be met on every path. */
export function checkSettings(trace: GatewayTrace | MeshTrace, { expected }: TestCase): readonly ExpectationCheck[] {
  const kinds = trace.outcome === "Routed" || trace.outcome === "Unrouted" ? trace.kinds : [];
  return expected.settings.map((setting) => {
    const outcomes = kinds
      .filter(({ policyKind }) => kindId(policyKind) === kindId(setting.policyKind))
      .flatMap((kind) => kind.outcomes)
      .filter(
        ({ paths }) =>
          setting.backend === undefined ||
          paths.some(({ nodes }) => nodes.some((node) => kindId(node) === SERVICE && node.name === setting.backend)),
      );
    return checkSetting(setting, outcomes);
  });
}

/** The value that takes effect at a pointer on some paths. */
interface Found {
  readonly value: Json | undefined;
  readonly sources: readonly Source[];
}

function checkSetting(setting: ExpectedSetting, outcomes: readonly PathOutcome[]): ExpectationCheck {
  const { field, policyKind, name, pointer } = setting;
  const found = outcomes.map((outcome) => foundAt(outcome, pointer));
  const all = found.length === 0 ? [NOTHING] : found;
  const wrong = all.find((one) => !isAsExpected(one, setting));
  return {
    field,
    what: `${policyKind.kind} ${name}`,
    expected: formatExpected(setting),
    actual: formatFound(wrong ?? all[0] ?? NOTHING),
    isMet: wrong === undefined,
    reason: { about: "Settings", policyKind, pointers: [pointer], outcomes },
  };
}

const NOTHING: Found = { value: undefined, sources: [] };

/** The value, and the sources of it and of what is below it; of a part of a unit, the source of the unit. */
function foundAt({ spec, sources }: PathOutcome, pointer: string): Found {
  const value = valueAtPointer(spec, pointer);
  const own = sources.filter((source) => source.pointer === pointer || liesBelow(source.pointer, pointer));
  const isSet = (source: Source): boolean => valueAtPointer(spec, source.pointer) !== undefined;
  const above = sources.filter((source) => liesBelow(pointer, source.pointer));
  return { value, sources: value === undefined ? [] : (own.length > 0 ? own : above).filter(isSet) };
}

function isAsExpected({ value, sources }: Found, { value: wanted, from, block }: ExpectedSetting): boolean {
  if (wanted.is === "Absent") return value === undefined;
  if (value === undefined || (wanted.is === "Equal" && !jsonEqual(value, wanted.value))) return false;
  const isFrom = (source: Source): boolean => {
    const ref = sourceRef(source);
    return (
      (from === undefined || (ref !== undefined && isNamed(from, ref))) &&
      (block === undefined || source.block === block)
    );
  };
  return (from === undefined && block === undefined) || (sources.length > 0 && sources.every(isFrom));
}

function sourceRef({ policy, object }: Source): ObjectRef | undefined {
  const id = policy ?? object;
  return id === undefined ? undefined : parseObjectId(id);
}

const formatExpected = ({ value, from, block, backend }: ExpectedSetting): JsonObject => ({
  ...(value.is === "Equal" ? { value: value.value } : value.is === "Absent" ? { absent: true } : {}),
  ...(from === undefined ? {} : { from: from.text }),
  ...(block === undefined ? {} : { block }),
  ...(backend === undefined ? {} : { backend }),
});

function formatFound({ value, sources }: Found): JsonObject {
  if (value === undefined) return { absent: true };
  const origins = new Map(sources.map((source) => [JSON.stringify(originOf(source)), originOf(source)]));
  const [only, ...others] = origins.values();
  if (only === undefined) return { value };
  return others.length === 0 ? { value, ...only } : { value, from: [only, ...others] };
}

/** Where a value comes from: a policy and its block, or an object. */
function originOf(source: Source): JsonObject {
  const ref = sourceRef(source);
  const { block, policy } = source;
  if (ref === undefined) return {};
  return { from: formatRef(ref), ...(policy === null || block === null ? {} : { block }) };
}
