/** PolicyDefinitions: targets, hierarchy, effective targets and merge rules of a policy kind, built in or a vendor's, as data. */

import type { Accumulation, OrderKey } from "./definition/policy-order.ts";
import type { StatusRules } from "./definition/status-rules.ts";
import type { JsonObject } from "./json.ts";
import type { GroupKind } from "./refs.ts";
import type { Governs } from "./words/governs-words.ts";

export type PolicyClass = "Direct" | "Inherited";

/** Where the settings of a policy are: in `spec`, in a `spec` that may be absent, or in the fields beside `metadata`. */
export type SettingsPosition = "Spec" | "OptionalSpec" | "Root";

/** How much of two specs is compared at once. `custom` names a function that the caller registers. */
export type Granularity = "Atomic" | "Patch" | "Merge" | "Field" | { readonly custom: string };

/** GEP-713, "Basic merge strategies". `None` belongs to a kind, the other two to a block of a policy. */
export type BaseStrategy = "Defaults" | "Overrides";

/** A complete strategy of GEP-713 ("Combined merge strategies") but None. */
export interface MergeStrategy {
  readonly base: BaseStrategy;
  readonly granularity: Granularity;
}

/** One of the kinds that a definition joins: their policies are merged with each other. The first gives the policy kind its name. */
export interface PolicyKind extends GroupKind {
  readonly scope: "Namespaced" | "Cluster";
}

/** A kind that policies may target. */
export interface TargetKind extends GroupKind {
  /** Sections that may be targeted besides the whole object: `Listener`, `Rule`, `Port`. */
  readonly sections: readonly string[];
  /** `true`: no object needs to exist (GEP-713, "Targeting virtual types"). */
  readonly virtual: boolean;
  /** The joined policy kinds that may target it; empty: all of them. */
  readonly policies: readonly string[];
  /** Settings that make a policy with such a target Invalid. */
  readonly forbids?: readonly ForbiddenSetting[];
  /** `true`: a target may name sections by their port, in a field `port` or as `sectionName`. */
  readonly byPort?: boolean;
  /** `true`: only sections may be targeted, not the whole object. */
  readonly sectionRequired?: boolean;
}

export interface ForbiddenSetting {
  /** Dotted path in the spec proper. */
  readonly path: string;
  /** `true`: only for targets with `sectionName`. Absent: for all targets of the kind. */
  readonly bySectionName?: boolean;
  /** The reason, for messages. */
  readonly because?: string;
}

/** A field of objects that names policies. A policy is attached to the objects and sections that name it. */
export interface NamingField {
  readonly level: LevelKind;
  /** Path relative to the object or section, of a reference, a name, or a list of these: `filters[type=ExtensionRef].extensionRef`. */
  readonly path?: string;
  /** An annotation of the object that contains a name. Instead of `path`. */
  readonly annotation?: string;
  /** The text between several names. Absent: the field has one name. */
  readonly separator?: string;
}

export type CrossNamespace = "Forbidden" | "ReferenceGrant" | "Consumer";

/** The object that a policy without a target is attached to. */
export interface AbsentTarget {
  /** `Nothing`: the policy is accepted, and is attached to nothing. */
  readonly means: "OwnNamespace" | "Nothing";
  /** In this namespace it is every Namespace, above the policies that target it. */
  readonly rootNamespace?: string;
  /** Field of `spec` that selects workloads by label: then it is those workloads. */
  readonly workloadSelector?: string;
  /** The kinds of workloads. Absent: workloads are not known. */
  readonly workloads?: readonly WorkloadKind[];
}

/** A kind of objects that stand for Pods, and where the labels of the Pods are. */
export interface WorkloadKind extends GroupKind {
  /** Dotted path of the labels in the object. */
  readonly labels: string;
  /** Labels of the Pods that contain the name of the object. Absent: none. */
  readonly nameLabels?: readonly string[];
}

/** The namespaces in which label selectors of policies select. */
export interface SelectorNamespaces {
  /** Field of a selector that says in which namespaces it selects: `{from: Same | All | Selector, selector}`. Absent: its own only. */
  readonly field?: string;
  /** `Needed`: a target in another namespace needs a ReferenceGrant there. */
  readonly grants: "Needed" | "NotNeeded";
  /** Policies in these namespaces select in every namespace, without grants. */
  readonly everywhere: readonly string[];
}

export interface Targeting {
  /** Names of the fields of `spec` that contain targets. */
  readonly fields: { readonly ref: string; readonly refs: string; readonly selectors: string };
  readonly refs: "One" | "Many";
  readonly selectors: boolean;
  /** Absent: a selector selects in the namespace of its policy, or in the one that it names. */
  readonly selectorNamespaces?: SelectorNamespaces;
  readonly crossNamespace: CrossNamespace;
  /** `true`: `rule-2` may refer to an unnamed rule by its index, as some vendors do. Reordering rules then moves policies. */
  readonly positionalRules: boolean;
  /** Empty: policies have no targets of their own, and objects name them. */
  readonly kinds: readonly TargetKind[];
  /** The kind of a target that names none. Absent: a target must name its kind. */
  readonly impliedKind?: string;
  /** Absent: a policy must have a target, or be named by an object. */
  readonly absent?: AbsentTarget;
  /** Absent: no object names policies of the kind. */
  readonly namedBy?: readonly NamingField[];
}

/** A level of the hierarchy: objects of a kind, or the named sections of such objects. */
export interface LevelKind extends GroupKind {
  readonly section?: string;
}

export interface Hierarchy {
  /** The levels at which paths end: each path at the lowest one that it has. */
  readonly effectiveTargets: readonly LevelKind[];
  /** Kinds whose Namespace is a level directly above them. */
  readonly namespacesAbove: readonly GroupKind[];
  /** Kinds at which paths may begin; empty: at every root of the hierarchy (GatewayClass, a mesh Service, roots of own links). */
  readonly roots: readonly GroupKind[];
  /** Kinds of objects that may be on a path; empty: all. RetryPolicy leaves out TLSRoutes. */
  readonly through: readonly GroupKind[];
  /** `true`: a Service has a path of its own for the requests that no route carries (mesh). */
  readonly mesh: boolean;
  /** Rows that the definition adds to the link table. */
  readonly links: readonly LinkRow[];
  /** Facts about kinds that are not in the built-in table. */
  readonly kinds: readonly KindFacts[];
}

/** Facts about a kind of object. */
export interface KindFacts extends GroupKind {
  readonly scope: "Namespaced" | "Cluster";
  /** Names for the command line, as the CRD lists them: `httproutes`, `gtw`. */
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  /** Lists inside the object whose named items are a level below it. */
  readonly sections: readonly SectionFacts[];
  readonly route?: RouteFacts;
}

/** Facts about a kind of routes. */
export interface RouteFacts {
  /** The listener protocols that accept such routes. */
  readonly protocols: readonly string[];
  /** True if `spec.hostnames` must match the listener. */
  readonly hostnames: boolean;
  /** True if a TLS listener that does not terminate TLS accepts such routes. Absent: true. */
  readonly passthrough?: boolean;
}

export interface SectionFacts {
  /** `Listener`, `Rule`, `Port`. */
  readonly section: string;
  /** Dotted path of the list: `spec.rules`. */
  readonly path: string;
  /** The default of the CRD for the list. */
  readonly byDefault?: readonly JsonObject[];
}

/** For `ChildRefs`: references to several children, and to children in other namespaces. */
export interface ChildSelection {
  /** `Needed`: a child in another namespace needs a ReferenceGrant. Absent: `Needed`. */
  readonly grants?: "Needed" | "NotNeeded";
  /** A name that stands for every object of the kind in the namespace. Absent: none does. */
  readonly anyName?: string;
  /** References that name the value of a label. Absent: there are none. */
  readonly byLabel?: LabelReference;
}

/** References of a group and kind of their own: the name in one is the value of a label of the children. */
export interface LabelReference extends GroupKind {
  readonly label: string;
  /** The namespace of a reference that means children in all namespaces. Absent: none means that. */
  readonly allNamespaces?: string;
}

/**
 * One row of the link table: how objects of `to` are attached to objects of `from`.
 * - `ParentRefs`: the child has references to its parents at `path` (an object, or a list of objects; `name`, and
 *   optionally `group`, `kind`, `namespace`, `sectionName`, `port`).
 * - `ParentName`: the child has the bare name of its parent at `path` (`spec.gatewayClassName`).
 * - `ChildRefs`: the parent (or its section) has references to its children at `path` (`backendRefs`, relative to a section).
 * `attachment` names the further condition: the listener, the Gateway or the mesh Service must accept the child.
 */
export interface LinkRow extends ChildSelection {
  readonly from: LevelKind;
  readonly to: LevelKind;
  readonly via: "ParentRefs" | "ParentName" | "ChildRefs";
  readonly path: string;
  readonly attachment?: "RouteToListener" | "ListenerSetToGateway" | "RouteToService";
}

/** A policy field that sets a field of an object on the path (Policy attachment reference, "Merging into existing `spec` fields"). */
export interface FieldMapping {
  /** Dotted path in the spec proper; empty: all of it. */
  readonly from: string;
  readonly to: {
    readonly level: LevelKind;
    /** Path relative to the level's object or section: `retry`, `spec.rules[].filters[type=RetryFilter].retryOn`. */
    readonly path: string;
  };
  /** `false`: only structs that the object already has are changed. */
  readonly create: boolean;
}

/** References in the spec of a policy to objects that must exist, and what they must contain. */
export interface PolicyReference {
  /** Dotted path in the spec of a reference, or of a list of references. */
  readonly path: string;
  /** The kinds of objects that may be referenced. */
  readonly kinds: readonly GroupKind[];
  /** Keys that `data` of the object must have. */
  readonly keys: readonly string[];
  /** `Certificates`: the values of these keys are certificates in PEM. */
  readonly format: "Any" | "Certificates";
  /** The reason of `ResolvedRefs=False` if the object does not exist, or does not contain what it must. */
  readonly reason: string;
  /** The reason of `Accepted=False` if none of the references at `path` is valid. */
  readonly noneValid: string;
}

/** The names of fields of policies that are not settings: blocks, conditions and removals. Empty: the kind has no such field. */
export interface ReservedWords {
  readonly defaults: readonly string[];
  readonly overrides: readonly string[];
  readonly when: readonly string[];
  readonly remove: readonly string[];
}

/** An annotation that selects the strategy between policies on two levels. */
export interface StrategyAnnotation {
  readonly key: string;
  readonly values: Readonly<Record<string, MergeStrategy>>;
  /** The strategy where the object does not have the annotation. Absent: that of the higher policy. */
  readonly absent?: MergeStrategy;
  /** The strategy of the fields that any other value of the annotation lists, separated by commas. The other fields have the strategy `absent`. */
  readonly fields?: MergeStrategy;
  /** `Objects`: of policies on an object and on its section the one on the section is merged over the other, whatever the annotation says. Absent: `Levels`. */
  readonly between?: "Levels" | "Objects";
  /** The kinds of objects whose annotation counts. Absent: all. */
  readonly on?: readonly GroupKind[];
}

/** The strategy that an annotation selects. */
export interface AnnotatedStrategy extends MergeStrategy {
  /** Fields that have a strategy of their own. */
  readonly listed?: { readonly fields: readonly string[]; readonly strategy: MergeStrategy };
}

/** A list whose items are settings of their own. */
export interface MergedList {
  /** Dotted path of the list in the spec proper; `*` stands for any key. */
  readonly path: string;
  /** The field of an item that identifies it. Absent: the items of all policies are joined. */
  readonly by?: string;
  /** `Whole`: an item is one setting. `Fields`: each of its fields is one. */
  readonly items: "Whole" | "Fields";
  /** Words of the field that selects a strategy: in a policy or block with one of them the list is one value. Absent: none. */
  readonly except?: readonly string[];
}

/** The treatment of several policies on one target. */
export type SameTarget =
  | "Established"
  | "OldestWins"
  | "Conflicted"
  | "ConflictedWhereBothSet"
  | "NoneWins"
  | "Undefined";

export interface MergeRules {
  /** `true`: the strategy None of GEP-713. */
  readonly none: boolean;
  /** Set: the strategy Accumulate. */
  readonly accumulate?: Accumulation;
  /** The order of the policies on one target, the highest first. Absent: age, then name (GEP-713). */
  readonly precedence?: readonly OrderKey[];
  readonly granularity: {
    readonly default: Granularity;
    /** Dotted path of the policy's field that selects one of `values`. */
    readonly field: string;
    readonly values: Readonly<Record<string, Granularity>>;
    /** The base strategies that values of that field stand for, too, in rules outside of blocks. Absent: defaults. */
    readonly bases?: Readonly<Record<string, BaseStrategy>>;
    /** The base strategy of rules outside of blocks in a policy without that field. Absent: defaults. */
    readonly base?: BaseStrategy;
    /** Instead of `default` in blocks spelled `default` and `override`: for inferred kinds whose schema does not name the blocks. */
    readonly ofReferenceBlocks?: Granularity;
  };
  /** For Merge: dotted paths of the maps of named rules inside the spec proper (`limits`, `rules.authentication`; `rules.*`: every map in `rules`). */
  readonly rules: readonly string[];
  /** `Fixed`: the names of rules are fields of the kind. Absent: `Free`. */
  readonly ruleNames?: "Free" | "Fixed";
  /** For Field: dotted paths of maps that are one value. */
  readonly atomicPaths: readonly string[];
  /** Lists that are merged item by item. Absent: every list is one value. */
  readonly lists?: readonly MergedList[];
  readonly blocks: "Combined" | "Exclusive";
  readonly bare: "AtomicDefaults" | "Direct";
  readonly decidedBy: "Higher" | "Lower" | "Annotation";
  /** For `decidedBy: Annotation`: an annotation of the object that the higher policy targets. */
  readonly annotation?: StrategyAnnotation;
  /** The names of the fields that are not settings. Absent: those of the specifications. */
  readonly words?: ReservedWords;
  /** `Closest`: a policy is merged with the closest one above it only, and those above that are replaced. Absent: `All`. */
  readonly parents?: "All" | "Closest";
  /** Levels whose policies are replaced as a whole where a policy is on a lower level. Absent: none. */
  readonly skip?: readonly LevelKind[];
  /** Levels whose policies are more specific than those on all other levels, also on lower ones. Absent: none. */
  readonly mostSpecific?: readonly LevelKind[];
  readonly sameTarget: SameTarget;
  /** At most so many policies take effect on one target; the others are Conflicted. Absent: no limit. */
  readonly limit?: number;
  /** A policy that sets and removes nothing lets higher defaults take effect (`GivesWay`), or keeps them out. With `none` it always does. */
  readonly empty: "GivesWay" | "TakesPlace";
}

/** Some of the settings of a kind, with targets, effective targets or merge rules of their own. Others have those of the kind. */
export interface DefinitionPart {
  readonly name: string;
  /** Dotted paths in the spec proper. */
  readonly paths: readonly string[];
  /** The levels that a policy with such settings may target. Absent: those of the kind. */
  readonly targets?: readonly LevelKind[];
  /** The levels at which such settings take effect. Absent: wherever a path of the kind ends. */
  readonly effectiveTargets?: readonly LevelKind[];
  /** Absent: the settings are merged together with those of no part. */
  readonly merge?: MergeRules;
  /** The subject of the settings. Absent: that of the kind. */
  readonly governs?: Governs;
}

/** `Target`: users who may see the effective policies of a target. `Readers`: users who may read the policy, no others. */
export type Visibility = "Readers" | "Target";

/** Settings of a kind that are about something else than its other settings. */
export interface GovernedPaths {
  readonly governs: Governs;
  /** Dotted paths in the spec proper. */
  readonly paths: readonly string[];
}

/** A difference between a definition and the implementation that it describes. */
export interface Approximation {
  /** The difference, for messages: a clause without a full stop. */
  readonly because: string;
  /** Dotted paths in the spec. The difference is about policies with a value at one of them (empty: about all), and at one of `with`. */
  readonly paths: readonly string[];
  readonly with?: readonly string[];
}

/** Definitions that are used only where there are objects or CRDs of their kinds. `vendorDefinitions` returns one. */
export interface DefinitionLibrary {
  readonly find: (kind: GroupKind) => PolicyDefinition | undefined;
}

/** The meaning of a policy kind, as data. `docs/definitions.md` describes the documents that definitions are read from. */
export interface PolicyDefinition {
  readonly name: string;
  readonly policies: readonly [PolicyKind, ...PolicyKind[]];
  readonly class: PolicyClass;
  readonly targeting: Targeting;
  readonly hierarchy: Hierarchy;
  readonly merge: MergeRules;
  /** Absent: all settings have the same rules. */
  readonly parts?: readonly DefinitionPart[];
  /** Absent: `Spec`. */
  readonly settings?: Exclude<SettingsPosition, "Spec">;
  readonly mapsTo: readonly FieldMapping[];
  /** Absent: none. */
  readonly references?: readonly PolicyReference[];
  readonly status: StatusRules;
  /** The controllers that carry the kind out, as GatewayClasses name them; empty: every controller. */
  readonly controllers: readonly string[];
  /** The users who see the values that a policy sets for a target. Absent: `Readers`. */
  readonly visibility?: Visibility;
  /** Dotted paths in the spec proper of values that only users who may read the policy see. Absent: none. */
  readonly sensitive?: readonly string[];
  /** The subject of policies of the kind, but for the settings of `governsPaths` and of parts that say something else. Absent: not declared. */
  readonly governs?: Governs;
  /** Absent: none. */
  readonly governsPaths?: readonly GovernedPaths[];
  /** The differences between the definition and the implementation. Results that depend on it report this. Absent: nothing. */
  readonly approximate?: readonly Approximation[];
  /** `true`: inferred from the label of a CRD, not declared. Results that depend on it report this. */
  readonly inferred: boolean;
}
