/** The schema of `spec.merge` of PolicyDefinitions: how specs in conflict are merged. */

import type { OrderKey } from "../../definition/policy-order.ts";
import type { MergedList, MergeRules } from "../../definition.ts";
import type { Schema } from "../schema.ts";
import { dottedPath, kind, level } from "./level-schema.ts";
import {
  choice,
  count,
  type Field,
  flag,
  list,
  map,
  name,
  object,
  optional,
  required,
  shorthand,
  text,
} from "./own-kind-schema.ts";

/** The values that each closed field of `spec.merge` allows. */
export const mergeChoices: {
  readonly strategy: readonly ("None" | "DefaultsAndOverrides" | "Accumulate")[];
  readonly order: readonly Extract<OrderKey, string>[];
  readonly precedence: readonly Extract<OrderKey, string>[];
  readonly granularity: readonly ("Atomic" | "Patch" | "Merge" | "Field")[];
  readonly base: readonly ("Defaults" | "Overrides")[];
  readonly blocks: readonly MergeRules["blocks"][];
  readonly bare: readonly MergeRules["bare"][];
  readonly decidedBy: readonly MergeRules["decidedBy"][];
  readonly between: readonly ("Levels" | "Objects")[];
  readonly parents: readonly ("All" | "Closest")[];
  readonly sameTarget: readonly MergeRules["sameTarget"][];
  readonly empty: readonly MergeRules["empty"][];
  readonly join: readonly "Append"[];
  readonly items: readonly MergedList["items"][];
  readonly ruleNames: readonly ("Free" | "Fixed")[];
} = {
  strategy: ["None", "DefaultsAndOverrides", "Accumulate"],
  order: ["Age", "Name", "Level", "Reference"],
  // On one target there is one level, and the object that names policies is one target.
  precedence: ["Age", "Name"],
  granularity: ["Atomic", "Patch", "Merge", "Field"],
  base: ["Defaults", "Overrides"],
  blocks: ["Combined", "Exclusive"],
  bare: ["AtomicDefaults", "Direct"],
  decidedBy: ["Higher", "Lower", "Annotation"],
  between: ["Levels", "Objects"],
  parents: ["All", "Closest"],
  sameTarget: ["Established", "OldestWins", "Conflicted", "ConflictedWhereBothSet", "NoneWins", "Undefined"],
  empty: ["GivesWay", "TakesPlace"],
  join: ["Append"],
  items: ["Whole", "Fields"],
  ruleNames: ["Free", "Fixed"],
};

/** A custom strategy is spelled `Custom/<name>`. */
export const CUSTOM_PREFIX = "Custom/";

const granularity: Schema = {
  ...text,
  pattern: `^(${mergeChoices.granularity.join("|")}|${CUSTOM_PREFIX}.+)$`,
  "x-prevail-words": [...mergeChoices.granularity, `${CUSTOM_PREFIX}<name>`],
};

const strategyOfWord = object({
  base: required(choice(mergeChoices.base), "The base strategy."),
  granularity: required(granularity, "How much of two specs is compared at once."),
});

const annotation = object({
  key: required(name, "Annotation on the object that the higher policy targets."),
  values: required(map(strategyOfWord), "The strategy that each value of the annotation stands for."),
  absent: optional(
    strategyOfWord,
    "that of the higher policy",
    "The strategy where the object does not have the annotation.",
  ),
  fields: optional(
    strategyOfWord,
    "such a value has no meaning",
    "Any other value is a list of fields, separated by commas: the top-level fields, or named rules, that have this strategy. The others have the strategy `absent`.",
  ),
  between: optional(
    choice(mergeChoices.between),
    "Levels",
    "`Objects`: the annotation decides between objects only. Of policies on an object and on its section the one on the section takes effect.",
  ),
  on: optional(list(kind), "all", "The kinds of objects whose annotation counts."),
});

const fieldOrder = {
  path: optional(dottedPath, "none", "Dotted path of a field in `spec`. Either `path` or `annotation` is needed."),
  annotation: optional(name, "none", "Annotation of the policy, instead of a field."),
  values: optional(
    list(text),
    "numbers",
    "The words that it may have, the first one first; other words come last. Without them it is a number, and the lowest is first.",
  ),
  descending: optional(flag, "false", "`true`: the last word, or the highest number, is first."),
  absent: optional(
    text,
    "`0`",
    "What it stands for where the policy does not have it, or has something else than a number.",
  ),
};

const orderKey: Schema = shorthand(
  "Age (the oldest first), Name (by namespace/name), Level (the policy on the higher target first) or, after Level, Reference (in the order in which an object names them)",
  fieldOrder,
);
const precedenceKey: Schema = shorthand("Age (the oldest first) or Name (by namespace/name)", fieldOrder);

const fields: Readonly<Record<string, Field>> = {
  strategy: optional(
    choice(mergeChoices.strategy),
    "None for Direct, DefaultsAndOverrides for Inherited",
    "The strategy None of GEP-713 (on one target the oldest policy takes effect, the others are not accepted); defaults and overrides; or Accumulate: all policies on a path take effect, and none overrides another.",
  ),
  order: optional(
    list(orderKey),
    "Level, Age, Name",
    "For Accumulate: the order in which the policies are evaluated. What the criteria do not distinguish is in the order of age and name.",
  ),
  groupBy: optional(
    object(fieldOrder),
    "one group",
    "For Accumulate: a field whose words divide policies into groups, which are evaluated one after the other.",
  ),
  precedence: optional(
    list(precedenceKey),
    "Age, Name",
    "The order of the policies on one target, the highest first. What the criteria do not distinguish is in the order of age and name.",
  ),
  granularity: optional(
    object({
      default: optional(granularity, "Atomic", "Granularity of a block without one."),
      base: optional(
        choice(mergeChoices.base),
        "Defaults",
        "The base strategy of rules outside of blocks, in a policy without the `field` or with a word that gives none.",
      ),
      field: optional(
        dottedPath,
        "strategy",
        "Dotted path of the field of a policy or block that selects one of `values`.",
      ),
      values: optional(
        map(
          shorthand("Atomic, Patch, Merge, Field or Custom/<name>", {
            base: optional(choice(mergeChoices.base), "Defaults", "The base strategy of rules outside of blocks."),
            granularity: optional(granularity, "Atomic", "How much of two specs is compared at once."),
          }),
        ),
        "none: a field of that name is part of the spec proper",
        "The values of that field, and the granularity that each stands for. An object gives the base strategy, too.",
      ),
    }),
    "the default of each field",
    "How much of two specs is compared at once.",
  ),
  rules: optional(
    list(dottedPath),
    "none",
    "For Merge: paths of the maps of named rules in the spec proper (`limits`; `rules.*`: every map in `rules`).",
  ),
  ruleNames: optional(
    choice(mergeChoices.ruleNames),
    "Free",
    "`Fixed`: the names of rules are fields of the kind, so that two policies which set one mean the same thing.",
  ),
  atomicPaths: optional(
    list(dottedPath),
    "none",
    "For Field and Merge: paths of maps that are one value; for Field in addition to the maps in the schema of the CRD. No effect in kinds that also support Patch.",
  ),
  lists: optional(
    list(
      object({
        path: required(dottedPath, "Dotted path of a list in the spec proper; `*` stands for any key."),
        by: optional(
          name,
          "none; required without `join`",
          "Field of the items: items of two policies with the same value are one setting.",
        ),
        join: optional(
          choice(mergeChoices.join),
          "none; required without `by`",
          "`Append`: the items of all policies take effect.",
        ),
        items: optional(
          choice(mergeChoices.items),
          "Whole",
          "An item is one setting, or each of its fields is one. In kinds that support Patch always the latter.",
        ),
        except: optional(
          list(name),
          "none",
          "Words of `granularity.field`: in a policy or block with one of them the list is one value.",
        ),
      }),
    ),
    "a list is one value",
    "For Field, Patch and Merge: lists that are merged item by item. In the effective policy such a list is a map of its items.",
  ),
  blocks: optional(
    choice(mergeChoices.blocks),
    "Combined",
    "`Combined`: one policy may have both defaults and overrides. `Exclusive`: it may have one of them.",
  ),
  bare: optional(
    choice(mergeChoices.bare),
    "AtomicDefaults",
    "The meaning of the rules of a policy without blocks: defaults (of the default granularity, unless the policy selects another), or a Direct policy, which replaces even overrides and is never merged. Beside a block they are defaults.",
  ),
  decidedBy: optional(
    choice(mergeChoices.decidedBy),
    "Higher",
    "The strategy that is used between two policies: that of the higher one, that of the lower one, or that of an annotation.",
  ),
  annotation: optional(annotation, "none", "For `decidedBy: Annotation`."),
  words: optional(
    object({
      defaults: optional(list(name), "defaults, default", "Names of the block of defaults."),
      overrides: optional(list(name), "overrides, override", "Names of the block of overrides."),
      when: optional(list(name), "when", "Names of the condition of a block."),
      remove: optional(list(name), "remove, unset", "Names of the list of what a policy or block removes."),
    }),
    "the default of each field",
    "Names of fields that are not settings. An empty list: the kind has no such field, and one of that name is a setting.",
  ),
  parents: optional(
    choice(mergeChoices.parents),
    "All",
    "The policies above another that it is merged with: All, or the Closest level that has any. Those above that level are replaced.",
  ),
  skip: optional(
    list(level),
    "none",
    "Levels whose policies are never merged with a policy on a lower level: where there is one, they are replaced.",
  ),
  mostSpecific: optional(
    list(level),
    "none",
    "Levels whose policies are more specific than those on all other levels, also than those on lower ones. Among them the order is that of the hierarchy.",
  ),
  sameTarget: optional(
    choice(mergeChoices.sameTarget),
    "Established",
    "Two policies on one target. Established: they are merged, and of their defaults the newer take effect because it is the lower policy (GEP-713). OldestWins: they are merged, and the oldest is used first. Conflicted: the first by precedence takes effect, the others are not accepted there. ConflictedWhereBothSet: a policy is not accepted there if it sets a field that a policy before it sets, too. NoneWins: none of them is accepted there. Undefined: one of them takes effect, and it is not defined which. With the strategy None: Conflicted (the default), NoneWins or Undefined.",
  ),
  limit: optional(
    count,
    "no limit",
    "At most so many policies take effect on one target, the first by precedence. The others are not accepted there.",
  ),
  empty: optional(
    choice(mergeChoices.empty),
    "GivesWay",
    "A policy that sets nothing and removes nothing: higher defaults take effect below it, or it keeps out Atomic ones, as a policy that sets something would. With the strategy None it always keeps them out.",
  ),
};

export const merge: Schema = object(fields);

/** The fields that a part may have, instead of those of the kind. */
export const partFields: readonly string[] = [
  "strategy",
  "order",
  "groupBy",
  "granularity",
  "rules",
  "atomicPaths",
  "lists",
  "decidedBy",
  "parents",
  "mostSpecific",
];

/** `spec.parts[].merge`. */
export const partMerge: Schema = object({
  ...Object.fromEntries(Object.entries(fields).filter(([name]) => partFields.includes(name))),
  strategy: optional(
    choice(mergeChoices.strategy.filter((word) => word !== "None")),
    "DefaultsAndOverrides",
    "The settings of different policies override each other, or with Accumulate all of them take effect.",
  ),
  decidedBy: optional(
    choice(mergeChoices.decidedBy.filter((word) => word !== "Annotation")),
    "that of the kind",
    "The strategy that is used between two policies: that of the higher one, or that of the lower one.",
  ),
});
