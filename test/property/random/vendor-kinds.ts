/** Policy kinds with rules that vendors have beyond GEP-713: one for each extension of the definition language. */

import { DEFAULT_MERGE } from "../../support/cluster/definition-defaults.ts";
import {
  define,
  gateway,
  grpcRoute,
  httpRoute,
  type PolicyKindUnderTest,
  section,
  service,
  strategyAnnotation,
  target,
  tcpRoute,
  weightAnnotation,
} from "./define-kind.ts";

const leaves: Omit<PolicyKindUnderTest, "definition"> = {
  paths: ["color", "colors.dark", "colors.light", "colors", "priority", "action"],
  strategies: [],
  removals: ["color", "colors", "colors.dark", "nothing"],
  conditions: ["spec.color == 1", "has(spec.colors)", "1 / 0 == 1"],
};

/** All policies take effect, in groups, by priority, then from the root down. */
const accumulateKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "AddingPolicy",
    merge: {
      accumulate: {
        groupBy: { path: "action", values: ["x", "2"], descending: false, absent: "none" },
        order: [{ path: "priority", values: [], descending: false, absent: "2" }, "Level"],
      },
      atomicPaths: ["colors"],
    },
  }),
};

/** All policies take effect, the most specific last; at most one on a target. Two kinds are joined. */
const limitedKind: PolicyKindUnderTest = {
  ...leaves,
  weighs: true,
  definition: define({
    kind: "LimitedPolicy",
    joined: [{ group: "example.com", kind: "ClusterLimitedPolicy", scope: "Cluster" }],
    targeting: { crossNamespace: "ReferenceGrant" },
    merge: {
      accumulate: {
        order: ["Name", { annotation: weightAnnotation, values: [], descending: true, absent: "1" }],
      },
      precedence: [{ annotation: weightAnnotation, values: [], descending: true, absent: "0" }],
      limit: 1,
    },
  }),
};

/** The policies of different levels are merged; on one target only the one with the highest weight is accepted. */
const weightedKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: ["field", "atomic"],
  weighs: true,
  definition: define({
    kind: "WeightedPolicy",
    merge: {
      granularity: { default: "Field", field: "strategy", values: { field: "Field", atomic: "Atomic" } },
      precedence: [{ annotation: weightAnnotation, values: [], descending: true, absent: "0" }, "Name"],
      sameTarget: "Conflicted",
    },
  }),
};

/** On one target policies are merged unless two set the same field. */
const sharingKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "SharingPolicy",
    merge: {
      granularity: { default: "Field", field: "strategy", values: {} },
      precedence: [{ path: "action", values: ["x", "1"], descending: true, absent: "" }],
      sameTarget: "ConflictedWhereBothSet",
    },
  }),
};

/** Of several policies on one target none takes effect. */
const noneWinsKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "RivalPolicy",
    merge: { granularity: { default: "Field", field: "strategy", values: {} }, sameTarget: "NoneWins" },
  }),
};

/** Of several policies on one target, which are never merged, none takes effect. */
const directRivalKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({ kind: "LoneRivalPolicy", merge: { none: true, sameTarget: "NoneWins" } }),
};

/** Of several policies on one target one takes effect, and it is not defined which. */
const undefinedKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "TossedPolicy",
    merge: { granularity: { default: "Field", field: "strategy", values: {} }, sameTarget: "Undefined" },
  }),
};

/** A Direct kind in which it is not defined which of several policies on one target takes effect. */
const directUndefinedKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "DirectTossedPolicy",
    class: "Direct",
    targeting: { kinds: [target(service, ["Port"])] },
    hierarchy: { effectiveTargets: [service, section(service, "Port")] },
    merge: { none: true, sameTarget: "Undefined" },
  }),
};

/** A field inside of another gives base strategy and granularity, on the higher policy. Some maps are one value. */
const fieldKind: PolicyKindUnderTest = {
  ...leaves,
  paths: [...leaves.paths, "merging.mode", "merging.mode", "merging.mode", "merging.note"],
  words: ["Lock", "Open", "Whole"],
  definition: define({
    kind: "LockingPolicy",
    merge: {
      granularity: {
        default: "Field",
        field: "merging.mode",
        values: { Lock: "Field", Open: "Field", Whole: "Atomic" },
        bases: { Lock: "Overrides", Whole: "Overrides" },
      },
      atomicPaths: ["colors"],
    },
  }),
};

/** The settings of the higher policy take effect unless it says otherwise, and a target without a kind is a route. */
const lockedKind: PolicyKindUnderTest = {
  ...leaves,
  paths: [...leaves.paths, "mode", "mode"],
  words: ["Parent", "Child"],
  definition: define({
    kind: "LockedPolicy",
    targeting: { impliedKind: httpRoute.kind },
    merge: {
      granularity: {
        default: "Field",
        base: "Overrides",
        field: "mode",
        values: { Parent: "Atomic", Child: "Field" },
        bases: { Child: "Defaults" },
      },
    },
  }),
};

/** The lower policy dictates the strategy, is merged with the closest policy above it only, and one on a rule never with one on its route. */
const closestKind: PolicyKindUnderTest = {
  ...leaves,
  paths: [...leaves.paths, "mergeType", "mergeType"],
  words: ["Merge", "Replace", "Prefer"],
  definition: define({
    kind: "ClosestPolicy",
    merge: {
      granularity: {
        default: "Atomic",
        field: "mergeType",
        values: { Merge: "Field", Replace: "Atomic", Prefer: "Field" },
        bases: { Prefer: "Overrides" },
      },
      decidedBy: "Lower",
      parents: "Closest",
      skip: [httpRoute],
      empty: "TakesPlace",
      sameTarget: "Conflicted",
    },
  }),
};

/** Levels are skipped, and nothing else is special. */
const skippingKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "SkippingPolicy",
    merge: {
      granularity: { default: "Field", field: "strategy", values: {} },
      skip: [section(gateway, "Listener"), httpRoute],
    },
  }),
};

/** Policies on a Gateway and on routes are more specific than those on rules and listeners. */
const rankedKind: PolicyKindUnderTest = {
  ...leaves,
  strategies: ["field", "atomic"],
  definition: define({
    kind: "RankedPolicy",
    merge: {
      granularity: { default: "Field", field: "strategy", values: { field: "Field", atomic: "Atomic" } },
      mostSpecific: [gateway, httpRoute],
    },
  }),
};

const annotationValues = {
  override: { base: "Overrides", granularity: "Field" },
  default: { base: "Defaults", granularity: "Field" },
} as const;

/** An annotation decides between objects only. Its absence means overrides, and another value lists fields. */
const betweenKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "BetweenPolicy",
    merge: {
      granularity: { default: "Field", field: "strategy", values: {} },
      decidedBy: "Annotation",
      annotation: {
        key: strategyAnnotation,
        values: annotationValues,
        absent: { base: "Overrides", granularity: "Field" },
        between: "Objects",
        on: [httpRoute, gateway],
      },
    },
  }),
};

/** The annotation of a route lists the fields that policies below may set: the words of the annotation are names of fields here. */
const listingKind: PolicyKindUnderTest = {
  ...leaves,
  paths: [...leaves.paths, "override", "takeover"],
  definition: define({
    kind: "ListingPolicy",
    merge: {
      granularity: { default: "Field", field: "strategy", values: {} },
      decidedBy: "Annotation",
      annotation: {
        key: strategyAnnotation,
        values: { default: { base: "Defaults", granularity: "Field" } },
        absent: { base: "Overrides", granularity: "Field" },
        fields: { base: "Defaults", granularity: "Field" },
      },
    },
  }),
};

/** Named rules are merged, and some maps outside of them are one value. */
const wholeKind: PolicyKindUnderTest = {
  ...leaves,
  paths: ["limits.a", "limits.b", "colors.dark", "colors.light", "colors", "note.x", "note.y"],
  strategies: ["merge", "atomic"],
  definition: define({
    kind: "WholePolicy",
    merge: {
      granularity: { default: "Merge", field: "strategy", values: { merge: "Merge", atomic: "Atomic" } },
      rules: ["limits"],
      atomicPaths: ["colors"],
    },
  }),
};

/** The block of defaults has another name, and there are no overrides and no conditions. */
const wordsKind: PolicyKindUnderTest = {
  ...leaves,
  paths: ["base.color", "base.colors.dark", "base.colors", "color", "colors.dark", "colors.light"],
  definition: define({
    kind: "WordsPolicy",
    merge: {
      granularity: { default: "Field", field: "strategy", values: {} },
      words: { defaults: ["base", "basis"], overrides: [], when: [], remove: ["unset"] },
    },
  }),
};

/** Items of lists are settings: by a field, as a whole or each of their fields, or those of all policies. */
const listsKind: PolicyKindUnderTest = {
  ...leaves,
  paths: ["items", "parts", "colors.joined", "color", "items", "parts", "colors.joined", "colors.dark"],
  strategies: ["field", "atomic", "whole"],
  removals: ["color", "items.x", "parts.y", "colors.joined"],
  conditions: ["has(spec.items)", "has(spec.color)"],
  definition: define({
    kind: "ListsPolicy",
    merge: {
      granularity: {
        default: "Field",
        field: "strategy",
        values: { field: "Field", atomic: "Atomic", whole: "Field" },
      },
      lists: [
        { path: "items", by: "type", items: "Whole", except: ["atomic", "whole"] },
        { path: "parts", by: "type", items: "Fields" },
        { path: "colors.*", items: "Whole", except: ["whole"] },
      ],
    },
  }),
};

/** As `listsKind`, in a kind in which null deletes. */
const patchedListsKind: PolicyKindUnderTest = {
  ...listsKind,
  strategies: ["patch"],
  definition: define({
    kind: "PatchedListsPolicy",
    merge: {
      granularity: { default: "Patch", field: "strategy", values: { patch: "Patch" } },
      lists: [
        { path: "items", by: "type", items: "Whole" },
        { path: "colors.joined", items: "Whole" },
      ],
    },
  }),
};

const noWords = { defaults: [], overrides: [], when: [], remove: [] };

/** Parts with targets, levels and merge rules of their own: for clients, for requests and for backends, and settings in no part. */
const partsKind: PolicyKindUnderTest = {
  ...leaves,
  paths: [
    "client.a",
    "client.b",
    "request.a",
    "request.b",
    "request.allow.x",
    "request.allow",
    "backend.a",
    "note",
    "color",
  ],
  words: ["Lock", "Open"],
  definition: define({
    kind: "PartsPolicy",
    targeting: {
      kinds: [target(gateway, ["Listener"]), target(httpRoute, ["Rule"]), target(grpcRoute), target(service, ["Port"])],
    },
    hierarchy: {
      effectiveTargets: [
        section(gateway, "Listener"),
        section(httpRoute, "Rule"),
        section(grpcRoute, "Rule"),
        section(service, "Port"),
        service,
      ],
    },
    merge: {
      granularity: {
        default: "Field",
        field: "mode",
        values: { Lock: "Field", Open: "Field" },
        bases: { Lock: "Overrides" },
      },
      words: noWords,
      sameTarget: "OldestWins",
    },
    parts: [
      {
        name: "client",
        paths: ["client"],
        targets: [gateway, section(gateway, "Listener")],
        effectiveTargets: [section(gateway, "Listener")],
      },
      {
        name: "request",
        paths: ["request.a", "request.b"],
        effectiveTargets: [section(httpRoute, "Rule"), section(grpcRoute, "Rule")],
        merge: {
          ...DEFAULT_MERGE,
          granularity: { default: "Atomic", field: "mode", values: { Lock: "Field", Open: "Atomic" } },
          parents: "Closest",
          words: noWords,
        },
      },
      {
        name: "allow",
        paths: ["request.allow"],
        effectiveTargets: [section(httpRoute, "Rule"), section(grpcRoute, "Rule")],
        merge: { ...DEFAULT_MERGE, accumulate: { order: ["Level"] }, words: noWords },
      },
      {
        name: "backend",
        paths: ["backend"],
        effectiveTargets: [service, section(service, "Port")],
        merge: {
          ...DEFAULT_MERGE,
          granularity: {
            default: "Field",
            base: "Overrides",
            field: "mode",
            values: { Lock: "Field", Open: "Field" },
            bases: { Open: "Defaults" },
          },
          mostSpecific: [httpRoute, section(httpRoute, "Rule")],
          words: noWords,
        },
      },
    ],
  }),
};

/** Settings that routes of one kind do not have. On a path without any of its settings a policy has no part. */
const limitedPartKind: PolicyKindUnderTest = {
  ...leaves,
  paths: ["color", "colors.dark", "colors.light", "colors.dark"],
  definition: define({
    kind: "LimitedPartPolicy",
    targeting: { kinds: [target(gateway, ["Listener"]), target(httpRoute, ["Rule"]), target(tcpRoute, ["Rule"])] },
    hierarchy: { effectiveTargets: [section(httpRoute, "Rule"), section(tcpRoute, "Rule")] },
    merge: { words: noWords, empty: "TakesPlace", sameTarget: "Conflicted" },
    parts: [{ name: "dark", paths: ["colors.dark"], effectiveTargets: [section(httpRoute, "Rule")] }],
  }),
};

/** All policies take effect, and some settings on some paths only. */
const addingPartKind: PolicyKindUnderTest = {
  ...leaves,
  definition: define({
    kind: "AddingPartPolicy",
    hierarchy: { effectiveTargets: [section(gateway, "Listener"), section(httpRoute, "Rule")] },
    merge: { accumulate: { order: ["Level"] } },
    parts: [
      { name: "listeners", paths: ["color"], effectiveTargets: [section(gateway, "Listener")] },
      {
        name: "routes",
        paths: ["colors"],
        targets: [httpRoute, section(httpRoute, "Rule")],
        effectiveTargets: [section(httpRoute, "Rule")],
      },
    ],
  }),
};

/** References that must resolve. */
const referringKind: PolicyKindUnderTest = {
  ...leaves,
  paths: ["color", "tls.ca", "tls.ca", "tls.note"],
  definition: define({
    kind: "ReferringPolicy",
    merge: { granularity: { default: "Field", field: "strategy", values: {} } },
    references: [
      {
        path: "tls.ca",
        kinds: [{ group: "", kind: "ConfigMap" }],
        keys: ["ca.crt"],
        format: "Any",
        reason: "InvalidReference",
        noneValid: "NoCa",
      },
    ],
  }),
};

export const vendorKinds: readonly PolicyKindUnderTest[] = [
  wordsKind,
  fieldKind,
  closestKind,
  skippingKind,
  rankedKind,
  betweenKind,
  listingKind,
  wholeKind,
  accumulateKind,
  limitedKind,
  weightedKind,
  sharingKind,
  noneWinsKind,
  directRivalKind,
  listsKind,
  patchedListsKind,
  undefinedKind,
  directUndefinedKind,
  partsKind,
  limitedPartKind,
  addingPartKind,
  referringKind,
  lockedKind,
];
