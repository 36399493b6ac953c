/** Reads `spec.merge` of a PolicyDefinition. */
import type { Accumulation, FieldOrder, Granularity, MergeRules, MergeStrategy, OrderKey } from "../definition.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../json.ts";
import { CUSTOM_PREFIX, mergeChoices } from "../schema/merge-schema.ts";
import { child, flag, list, mapValues, oneOf, text, texts } from "../schema/read-fields.ts";
import { formatValue } from "../words/format-value.ts";
import { checkPath, type DefinitionProblem } from "./read-definition-kinds.ts";

type Strategy = (typeof mergeChoices.strategy)[number];

export function readMerge(
  merge: JsonObject,
  { direct }: { direct: boolean },
  problems: DefinitionProblem[],
): MergeRules {
  const strategy = oneOf(merge["strategy"], mergeChoices.strategy, direct ? "None" : "DefaultsAndOverrides");
  checkMeaning(merge, strategy, problems);
  const granularity = child(merge, "granularity");
  const annotation = ownValue(merge, "annotation");
  for (const key of ["rules", "atomicPaths"]) {
    for (const [i, path] of texts(merge, key).entries()) checkPath(path, `spec.merge.${key}[${i}]`, problems);
  }
  return {
    none: strategy === "None",
    ...(strategy === "Accumulate" ? { accumulate: readAccumulation(merge, problems) } : {}),
    ...readPrecedence(merge, problems),
    granularity: {
      default: readGranularity(granularity["default"]),
      field: text(granularity, "field", "strategy"),
      values: mapValues(child(granularity, "values"), readGranularity),
    },
    rules: texts(merge, "rules"),
    atomicPaths: texts(merge, "atomicPaths"),
    blocks: oneOf(merge["blocks"], mergeChoices.blocks, "Combined"),
    bare: oneOf(merge["bare"], mergeChoices.bare, "AtomicDefaults"),
    decidedBy: oneOf(merge["decidedBy"], mergeChoices.decidedBy, "Higher"),
    ...(isJsonObject(annotation)
      ? {
          annotation: {
            key: text(annotation, "key", ""),
            values: mapValues(child(annotation, "values"), readStrategy),
          },
        }
      : {}),
    sameTarget: oneOf(merge["sameTarget"], mergeChoices.sameTarget, "Established"),
    ...(typeof merge["limit"] === "number" ? { limit: merge["limit"] } : {}),
    empty: oneOf(merge["empty"], mergeChoices.empty, "GivesWay"),
  };
}

/** The fields that have a meaning with each strategy, and why others have none. */
const MEANINGS: Readonly<Record<Strategy, { readonly isMeant: (key: string) => boolean; readonly why: string }>> = {
  None: {
    isMeant: (key) => ["strategy", "sameTarget", "precedence"].includes(key),
    why: "strategy None, which never merges",
  },
  Accumulate: {
    isMeant: (key) => ["strategy", "order", "groupBy", "limit", "precedence", "atomicPaths"].includes(key),
    why: "strategy Accumulate, in which all policies take effect",
  },
  DefaultsAndOverrides: {
    isMeant: (key) => !["order", "groupBy"].includes(key),
    why: "strategy DefaultsAndOverrides; it belongs to Accumulate",
  },
};

function checkMeaning(merge: JsonObject, strategy: Strategy, problems: DefinitionProblem[]): void {
  const { isMeant, why } = MEANINGS[strategy];
  for (const key of Object.keys(merge).filter((name) => !isMeant(name))) {
    const message = `spec.merge.${key} has no meaning with ${why}. Leave it out.`;
    problems.push({ code: "Misplaced", field: `spec.merge.${key}`, message });
  }
  const { sameTarget = "Conflicted" } = merge;
  if (strategy !== "None" || sameTarget === "Conflicted" || sameTarget === "NoneWins") return;
  const message = `spec.merge.sameTarget is ${formatValue(sameTarget)}; allowed with strategy None: Conflicted, NoneWins`;
  problems.push({ code: "Misplaced", field: "spec.merge.sameTarget", message });
}

function readAccumulation(merge: JsonObject, problems: DefinitionProblem[]): Accumulation {
  const order = readOrder(merge, "order", mergeChoices.order, problems);
  const groupBy = ownValue(merge, "groupBy");
  return {
    order: order.length === 0 ? ["Level"] : order,
    ...(isJsonObject(groupBy) ? { groupBy: readFieldOrder(groupBy, "spec.merge.groupBy", problems) } : {}),
  };
}

function readPrecedence(merge: JsonObject, problems: DefinitionProblem[]): Pick<MergeRules, "precedence"> {
  // On one target there is one level.
  const precedence = readOrder(merge, "precedence", ["Age", "Name"], problems);
  return precedence.length === 0 ? {} : { precedence };
}

function readOrder(
  merge: JsonObject,
  key: string,
  words: readonly Extract<OrderKey, string>[],
  problems: DefinitionProblem[],
): readonly OrderKey[] {
  return list(merge, key).flatMap((item, i): readonly OrderKey[] => {
    const field = `spec.merge.${key}[${i}]`;
    if (isJsonObject(item)) {
      const read = readFieldOrder(item, field, problems);
      if (read.values.length > 0 || isNumber(read.absent)) return [read];
      const message = `${field}.absent is ${formatValue(read.absent)}; allowed: a number, as there are no values`;
      problems.push({ code: "UnknownValue", field: `${field}.absent`, message });
      return [];
    }
    const word = words.find((one) => one === item);
    if (word !== undefined) return [word];
    const message = `${field} is ${formatValue(item)}; allowed: ${words.join(", ")}, or an object with path or annotation`;
    problems.push({ code: "UnknownValue", field, message });
    return [];
  });
}

const isNumber = (word: string): boolean => /^-?\d+(\.\d+)?$/.test(word);

function readFieldOrder(item: JsonObject, field: string, problems: DefinitionProblem[]): FieldOrder {
  const path = text(item, "path", "");
  const annotation = text(item, "annotation", "");
  if ((path === "") === (annotation === "")) {
    const found = path === "" ? "neither path nor annotation" : "both path and annotation";
    problems.push({ code: "Misplaced", field, message: `${field} has ${found}; allowed: one of them` });
  }
  if (path !== "") checkPath(path, `${field}.path`, problems);
  return {
    ...(path === "" ? { annotation } : { path }),
    values: texts(item, "values"),
    descending: flag(item, "descending", { byDefault: false }),
    absent: text(item, "absent", "0"),
  };
}

function readGranularity(value: Json | undefined): Granularity {
  if (typeof value === "string" && value.startsWith(CUSTOM_PREFIX))
    return { custom: value.slice(CUSTOM_PREFIX.length) };
  return oneOf(value, mergeChoices.granularity, "Atomic");
}

function readStrategy(value: Json | undefined): MergeStrategy {
  const record = isJsonObject(value) ? value : {};
  return {
    base: oneOf(record["base"], mergeChoices.base, "Defaults"),
    granularity: readGranularity(record["granularity"]),
  };
}
