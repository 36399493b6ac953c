/** Reads `spec.merge` of a PolicyDefinition. */
import { wordsOf } from "../../block-names.ts";
import { type Accumulation, type FieldOrder, isNumber, type OrderKey } from "../../definition/policy-order.ts";
import type {
  BaseStrategy,
  Granularity,
  MergedList,
  MergeRules,
  MergeStrategy,
  ReservedWords,
} from "../../definition.ts";
import { isJsonObject, type Json, type JsonObject, objectAt, ownValue } from "../../json.ts";
import type { GroupKind } from "../../refs.ts";
import { CUSTOM_PREFIX, mergeChoices } from "../../schema/own-kinds/merge-schema.ts";
import { flag, list, mapValues, objects, oneOf, text, texts } from "../../schema/read-fields.ts";
import { didYouMean } from "../../words/did-you-mean.ts";
import { formatValue } from "../../words/format-value.ts";
import { checkPath, type DefinitionProblem, type KindReader, readKind, readLevel } from "./read-definition-kinds.ts";

type Strategy = (typeof mergeChoices.strategy)[number];

export function readMerge(merge: JsonObject, { direct }: { direct: boolean }, reader: KindReader): MergeRules {
  const { problems } = reader;
  const strategy = oneOf(merge["strategy"], mergeChoices.strategy, direct ? "None" : "DefaultsAndOverrides");
  checkMeaning(merge, strategy, problems);
  for (const key of ["rules", "atomicPaths"]) {
    for (const [i, path] of texts(merge, key).entries()) checkPath(path, `spec.merge.${key}[${i}]`, problems);
  }
  return {
    none: strategy === "None",
    ...(strategy === "Accumulate" ? { accumulate: readAccumulation(merge, problems) } : {}),
    ...readPrecedence(merge, problems),
    granularity: readGranularities(objectAt(merge, "granularity"), problems),
    rules: texts(merge, "rules"),
    ...(merge["ruleNames"] === "Fixed" ? { ruleNames: "Fixed" } : {}),
    atomicPaths: texts(merge, "atomicPaths"),
    ...readLists(merge, problems),
    blocks: oneOf(merge["blocks"], mergeChoices.blocks, "Combined"),
    bare: oneOf(merge["bare"], mergeChoices.bare, "AtomicDefaults"),
    decidedBy: oneOf(merge["decidedBy"], mergeChoices.decidedBy, "Higher"),
    ...readAnnotation(merge, reader),
    ...readParents(merge, reader),
    ...readWords(merge),
    sameTarget: oneOf(merge["sameTarget"], mergeChoices.sameTarget, "Established"),
    ...(typeof merge["limit"] === "number" ? { limit: merge["limit"] } : {}),
    empty: oneOf(merge["empty"], mergeChoices.empty, "GivesWay"),
  };
}

function readLists(merge: JsonObject, problems: DefinitionProblem[]): Pick<MergeRules, "lists"> {
  const lists = objects(merge, "lists").map((item, i): MergedList => {
    const field = `spec.merge.lists[${i}]`;
    const [path, by] = [text(item, "path", ""), text(item, "by", "")];
    checkPath(path, `${field}.path`, problems);
    if ((by === "") === (ownValue(item, "join") === undefined)) {
      const found = by === "" ? "neither by nor join" : "both by and join";
      problems.push({ code: "Misplaced", field, message: `${field} has ${found}; allowed: one of them` });
    }
    const except = texts(item, "except");
    const known = Object.keys(objectAt(objectAt(merge, "granularity"), "values"));
    for (const [at, word] of except.entries()) {
      if (known.includes(word)) continue;
      const message = `${field}.except[${at}] is ${formatValue(word)}, which is none of the words in spec.merge.granularity.values${didYouMean(word, known)}`;
      problems.push({ code: "UnknownValue", field: `${field}.except[${at}]`, message });
    }
    return {
      path,
      ...(by === "" ? {} : { by }),
      items: oneOf(item["items"], mergeChoices.items, "Whole"),
      ...(except.length === 0 ? {} : { except }),
    };
  });
  return lists.length === 0 ? {} : { lists };
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
  const allowed: readonly string[] = ["Conflicted", "NoneWins", "Undefined"];
  if (strategy !== "None" || (typeof sameTarget === "string" && allowed.includes(sameTarget))) return;
  const message = `spec.merge.sameTarget is ${formatValue(sameTarget)}; allowed with strategy None: ${allowed.join(", ")}`;
  problems.push({ code: "Misplaced", field: "spec.merge.sameTarget", message });
}

function readAccumulation(merge: JsonObject, problems: DefinitionProblem[]): Accumulation {
  const order = readOrder(merge, "order", mergeChoices.order, problems);
  const at = order.indexOf("Reference");
  if (at !== -1 && order[at - 1] !== "Level") {
    const message = `spec.merge.order[${at}] is "Reference", which compares policies of one level: put Level before it.`;
    problems.push({ code: "Misplaced", field: `spec.merge.order[${at}]`, message });
  }
  const groupBy = ownValue(merge, "groupBy");
  return {
    order: order.length === 0 ? ["Level"] : order,
    ...(isJsonObject(groupBy) ? { groupBy: readFieldOrder(groupBy, "spec.merge.groupBy", problems) } : {}),
  };
}

function readPrecedence(merge: JsonObject, problems: DefinitionProblem[]): Pick<MergeRules, "precedence"> {
  const precedence = readOrder(merge, "precedence", mergeChoices.precedence, problems);
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

function readGranularities(granularity: JsonObject, problems: DefinitionProblem[]): MergeRules["granularity"] {
  const field = text(granularity, "field", "strategy");
  checkPath(field, "spec.merge.granularity.field", problems);
  const written = objectAt(granularity, "values");
  for (const [word, value] of Object.entries(written))
    if (typeof value === "string") checkGranularity(value, `spec.merge.granularity.values.${word}`, problems);
  const bases = Object.entries(written).flatMap(([word, value]): readonly [string, BaseStrategy][] => {
    const base = isJsonObject(value) ? mergeChoices.base.find((one) => one === value["base"]) : undefined;
    return base === undefined ? [] : [[word, base]];
  });
  const base = mergeChoices.base.find((one) => one === granularity["base"]);
  return {
    default: readGranularity(granularity["default"]),
    ...(base === undefined ? {} : { base }),
    field,
    values: mapValues(written, (value) => readGranularity(isJsonObject(value) ? value["granularity"] : value)),
    ...(bases.length === 0 ? {} : { bases: Object.fromEntries(bases) }),
  };
}

function checkGranularity(value: string, field: string, problems: DefinitionProblem[]): void {
  const words: readonly string[] = [...mergeChoices.granularity, `${CUSTOM_PREFIX}<name>`];
  if (words.includes(value) || (value.startsWith(CUSTOM_PREFIX) && value.length > CUSTOM_PREFIX.length)) return;
  const message = `${field} is ${formatValue(value)}; allowed: ${words.join(", ")}${didYouMean(value, words)}`;
  problems.push({ code: "UnknownValue", field, message });
}

function readAnnotation(merge: JsonObject, reader: KindReader): Pick<MergeRules, "annotation"> {
  const annotation = ownValue(merge, "annotation");
  if (!isJsonObject(annotation)) return {};
  const absent = ownValue(annotation, "absent");
  const fields = ownValue(annotation, "fields");
  if (fields !== undefined && absent === undefined) {
    const message =
      "spec.merge.annotation.absent is missing, but there are fields: give the strategy of the other fields.";
    reader.problems.push({ code: "MissingField", field: "spec.merge.annotation.absent", message });
  }
  const on = kindsIn(annotation, "on", "spec.merge.annotation.on", reader);
  const between = mergeChoices.between.find((one) => one === annotation["between"]);
  return {
    annotation: {
      key: text(annotation, "key", ""),
      values: mapValues(objectAt(annotation, "values"), readStrategy),
      ...(absent === undefined ? {} : { absent: readStrategy(absent) }),
      ...(fields === undefined ? {} : { fields: readStrategy(fields) }),
      ...(between === undefined ? {} : { between }),
      ...(on.length === 0 ? {} : { on }),
    },
  };
}

const kindsIn = (item: JsonObject, key: string, field: string, reader: KindReader): readonly GroupKind[] =>
  list(item, key).map((one, i) => {
    const { group, kind } = readKind(one, `${field}[${i}]`, reader);
    return { group, kind };
  });

function readWords(merge: JsonObject): Pick<MergeRules, "words"> {
  const words = ownValue(merge, "words");
  if (!isJsonObject(words)) return {};
  const byDefault = wordsOf({});
  const read = (key: keyof ReservedWords): readonly string[] =>
    ownValue(words, key) === undefined ? byDefault[key] : texts(words, key);
  return {
    words: { defaults: read("defaults"), overrides: read("overrides"), when: read("when"), remove: read("remove") },
  };
}

function readParents(merge: JsonObject, reader: KindReader): Pick<MergeRules, "parents" | "skip" | "mostSpecific"> {
  const parents = mergeChoices.parents.find((one) => one === merge["parents"]);
  const levels = (key: string) => list(merge, key).map((item, i) => readLevel(item, `spec.merge.${key}[${i}]`, reader));
  const [skip, mostSpecific] = [levels("skip"), levels("mostSpecific")];
  return {
    ...(parents === undefined ? {} : { parents }),
    ...(skip.length === 0 ? {} : { skip }),
    ...(mostSpecific.length === 0 ? {} : { mostSpecific }),
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
