/**
 * What a policy kind means, as data: which targets it may declare, in which hierarchy it flows, where it ends
 * (its effective target), and how specs in conflict are merged. A new kind, ours or a vendor's, is one such record.
 */
import type { JsonObject } from "./json.ts";
import type { GroupKind } from "./refs.ts";

export type PolicyClass = "Direct" | "Inherited";

/** How much of two specs is compared at once. `Custom` names a function that the caller registers. */
export type Granularity = "Atomic" | "Patch" | "Merge" | "Field" | { readonly custom: string };

/** GEP-713, "Basic merge strategies". `None` belongs to a kind, the other two to a block of a policy. */
export type BaseStrategy = "Defaults" | "Overrides";

/** A complete strategy of GEP-713 ("Combined merge strategies") but None. */
export interface MergeStrategy {
  readonly base: BaseStrategy;
  readonly granularity: Granularity;
}

/** One of the kinds that share the definition's stacks. The first is the policy kind's name. */
export interface PolicyKind extends GroupKind {
  readonly scope: "Namespaced" | "Cluster";
}

/** A kind that policies may name as target. */
export interface TargetKind extends GroupKind {
  /** Sections that may be targeted besides the whole object: `Listener`, `Rule`, `Port`. */
  readonly sections: readonly string[];
  /** `Virtual`: no object needs to exist (GEP-713, "Targeting virtual types"). */
  readonly virtual: boolean;
  /** The joined policy kinds that may name it; empty: all of them. */
  readonly policies: readonly string[];
  /** What a policy with such a target must not decide about: it is Invalid then. */
  readonly forbids?: readonly ForbiddenSetting[];
}

export interface ForbiddenSetting {
  /** Dotted, within the spec proper. */
  readonly path: string;
  /** For people. */
  readonly because?: string;
}

export type CrossNamespace = "Forbidden" | "ReferenceGrant" | "Consumer";

export interface Targeting {
  /** Names of the spec fields that hold targets. */
  readonly fields: { readonly ref: string; readonly refs: string; readonly selectors: string };
  readonly refs: "One" | "Many";
  readonly selectors: boolean;
  readonly crossNamespace: CrossNamespace;
  /** Whether `rule-2` may name an unnamed rule by its place (a vendor's habit; reordering rules moves such policies). */
  readonly positionalRules: boolean;
  readonly kinds: readonly TargetKind[];
}

/** A level of the hierarchy: objects of a kind, or the named sections of such objects. */
export interface LevelKind extends GroupKind {
  readonly section?: string;
}

export interface Hierarchy {
  /** Where paths end: at the lowest listed level that is there. */
  readonly effectiveTargets: readonly LevelKind[];
  /** Kinds directly above which their Namespace is a level. */
  readonly namespacesAbove: readonly GroupKind[];
  /** Where paths may begin; empty: at every root of the hierarchy (GatewayClass, a mesh Service, roots of own links). */
  readonly roots: readonly GroupKind[];
  /** The part of the hierarchy it uses: kinds of objects that its paths may pass; empty: all. (RetryPolicy: no TLSRoutes.) */
  readonly through: readonly GroupKind[];
  /** Rows that this definition adds to the link table. */
  readonly links: readonly LinkRow[];
  /** Facts about kinds that the built-in table does not know. */
  readonly kinds: readonly KindFacts[];
}

/** What the engine must know of a kind of object. */
export interface KindFacts extends GroupKind {
  readonly scope: "Namespaced" | "Cluster";
  /** Names that people may use for it besides its kind, as its CRD lists them: `httproutes`, `gtw`. */
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  /** Named lists inside the object whose items are nodes of their own, one level below it. */
  readonly sections: readonly SectionFacts[];
  /** For route kinds: the listener protocols that take them, and whether `spec.hostnames` takes part in attachment. */
  readonly route?: { readonly protocols: readonly string[]; readonly hostnames: boolean };
}

export interface SectionFacts {
  /** `Listener`, `Rule`, `Port`. */
  readonly section: string;
  /** Dotted path of the list: `spec.rules`. */
  readonly path: string;
  /** What its CRD puts there if the list is left out. */
  readonly byDefault?: readonly JsonObject[];
}

/**
 * One row of the link table: how nodes of `to` are attached to nodes of `from`.
 * - `ParentRefs`: the child holds references to its parents at `path` (an object, or a list of objects; `name`, and
 *   optionally `group`, `kind`, `namespace`, `sectionName`, `port`).
 * - `ParentName`: the child holds its parent's bare name at `path` (`spec.gatewayClassName`).
 * - `ChildRefs`: the parent (or its section) holds references to its children at `path` (`backendRefs`, relative to a section).
 * `attachment` names the handshake that must also succeed: a route with a listener, a ListenerSet with its Gateway,
 * a route with a mesh Service.
 */
export interface LinkRow {
  readonly from: LevelKind;
  readonly to: LevelKind;
  readonly via: "ParentRefs" | "ParentName" | "ChildRefs";
  readonly path: string;
  readonly attachment?: "RouteToListener" | "ListenerSetToGateway" | "RouteToService";
}

/** REF, "Merging into existing spec fields": a policy field that sets a field of an object on the path. */
export interface FieldMapping {
  /** Dotted path in the spec proper; empty: all of it. */
  readonly from: string;
  readonly to: {
    readonly level: LevelKind;
    /** Path relative to the level's object or section: `retry`, `spec.rules[].filters[type=RetryFilter].retryOn`. */
    readonly path: string;
  };
  /** `false`: only structs that are already there are touched. */
  readonly create: boolean;
}

export interface MergeRules {
  /** `true`: GEP-713's None: on one target the oldest policy wins, the others are not accepted. */
  readonly none: boolean;
  readonly granularity: {
    readonly default: Granularity;
    /** Name of the field beside the rules that picks one of `values`. */
    readonly field: string;
    readonly values: Readonly<Record<string, Granularity>>;
  };
  /** For Merge: dotted paths of the maps of named rules inside the spec proper (`limits`, `rules.authentication`; `rules.*`: every map in `rules`). */
  readonly rules: readonly string[];
  /** For Field: dotted paths of maps that are one value. */
  readonly atomicPaths: readonly string[];
  readonly blocks: "Combined" | "Exclusive";
  readonly bare: "AtomicDefaults" | "Direct";
  readonly decidedBy: "Higher" | "Lower" | "Annotation";
  /** For `decidedBy: Annotation`: read on the object that the higher policy targets. */
  readonly annotation?: { readonly key: string; readonly values: Readonly<Record<string, MergeStrategy>> };
  readonly sameTarget: "Established" | "OldestWins";
}

export interface PolicyDefinition {
  readonly name: string;
  readonly policies: readonly [PolicyKind, ...PolicyKind[]];
  readonly class: PolicyClass;
  readonly targeting: Targeting;
  readonly hierarchy: Hierarchy;
  readonly merge: MergeRules;
  readonly mapsTo: readonly FieldMapping[];
  readonly status: { readonly vocabulary: "Enforced" | "Programmed" };
  /** Read off a CRD's label rather than declared: whatever rests on it says so. */
  readonly inferred: boolean;
}
