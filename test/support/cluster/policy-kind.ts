import type {
  Hierarchy,
  KindFacts,
  LevelKind,
  LinkRow,
  MergeRules,
  PolicyDefinition,
  PolicyKind,
  Targeting,
  TargetKind,
} from "../../../src/core/model/definition.ts";
import type { GroupKind } from "../../../src/core/model/refs.ts";
import { DEFAULT_MERGE, DEFAULT_TARGETING } from "./definition-defaults.ts";
import { groupOf } from "./gateway-objects.ts";

interface Sketch {
  readonly group?: string;
  readonly scope?: PolicyKind["scope"];
  /** Kinds that share the stacks of the first. */
  readonly joined?: readonly PolicyKind[];
  readonly class?: PolicyDefinition["class"];
  /** `Gateway`, `Gateway/Listener` (the Gateway and its listeners), or a whole record. */
  readonly targets: readonly (string | TargetKind)[];
  /** `Service`, `HTTPRoute/Rule`. */
  readonly ends: readonly string[];
  readonly namespacesAbove?: readonly string[];
  readonly through?: readonly string[];
  readonly roots?: readonly string[];
  readonly mesh?: boolean;
  /** Links of a custom hierarchy, from parent to child. */
  readonly links?: readonly LinkRow[];
  readonly kinds?: readonly KindFacts[];
  readonly targeting?: Partial<Targeting>;
  readonly controllers?: readonly string[];
  readonly merge?: Partial<MergeRules>;
  readonly mapsTo?: readonly {
    readonly from: string;
    readonly to: string;
    readonly path: string;
    readonly create?: boolean;
  }[];
}

/** Builds a PolicyDefinition. Omitted fields have the documented defaults. */
export function policyKind(kind: string, sketch: Sketch): PolicyDefinition {
  const group = sketch.group ?? "example.com";
  return {
    name: `${kind.toLowerCase()}.${group}`,
    policies: [{ group, kind, scope: sketch.scope ?? "Namespaced" }, ...(sketch.joined ?? [])],
    class: sketch.class ?? "Inherited",
    targeting: {
      ...DEFAULT_TARGETING,
      kinds: sketch.targets.map(targetKind),
      ...sketch.targeting,
    },
    hierarchy: hierarchy(sketch),
    merge: {
      ...DEFAULT_MERGE,
      none: sketch.class === "Direct",
      ...sketch.merge,
    },
    mapsTo: (sketch.mapsTo ?? []).map(({ from, to, path, create = true }) => ({
      from,
      to: { level: level(to), path },
      create,
    })),
    status: { vocabulary: "Enforced" },
    controllers: sketch.controllers ?? [],
    inferred: false,
  };
}

function hierarchy(sketch: Sketch): Hierarchy {
  return {
    effectiveTargets: sketch.ends.map(level),
    namespacesAbove: (sketch.namespacesAbove ?? []).map(groupKind),
    roots: (sketch.roots ?? []).map(groupKind),
    through: (sketch.through ?? []).map(groupKind),
    mesh: sketch.mesh ?? sketch.targeting?.crossNamespace === "Consumer",
    links: sketch.links ?? [],
    kinds: sketch.kinds ?? [],
  };
}

const groupKind = (kind: string): GroupKind => ({ group: groupOf(kind), kind });

export function level(text: string): LevelKind {
  const [kind = "", section] = text.split("/");
  return section === undefined ? groupKind(kind) : { ...groupKind(kind), section };
}

function targetKind(text: string | TargetKind): TargetKind {
  if (typeof text !== "string") return text;
  const { section, ...kind } = level(text);
  return { ...kind, sections: section === undefined ? [] : [section], virtual: false, policies: [] };
}

/** A hierarchy of kinds outside Gateway API: each object names its `children`. */
export function chainOfKinds(kinds: readonly string[]): {
  readonly links: readonly LinkRow[];
  readonly kinds: readonly KindFacts[];
} {
  return {
    links: kinds.slice(1).map((to, i) => ({
      from: level(kinds[i] as string),
      to: level(to),
      via: "ChildRefs",
      path: "spec.children",
    })),
    kinds: kinds.map((kind) => ({ ...groupKind(kind), scope: "Namespaced", sections: [] })),
  };
}
