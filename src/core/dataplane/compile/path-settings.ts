/** Retries and timeouts on the way from a listener through a route to a backend: of the effective RetryPolicy there. */

import { foldPath } from "../../effective/fold/fold-path.ts";
import type { Path } from "../../effective/paths/path.ts";
import { PathFinder } from "../../effective/paths/path-finder.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { type KindId, kindId, type ObjectId, type TargetId, targetId } from "../../model/refs.ts";
import { type RetrySettings, retrySettings } from "../../retry/retry-settings.ts";
import type { Section } from "../../topology/sections-of.ts";
import type { RetryConfig } from "../gateway-config.ts";

export const RETRY_POLICY: KindId = kindId({ group: "prevail.dev", kind: "RetryPolicy" });

/** The same object wherever the same policies and own values meet. */
export interface PathSettings {
  readonly requestTimeoutMs: number | undefined;
  readonly backendRequestTimeoutMs: number | undefined;
  readonly retry: RetryConfig | undefined;
}

/** Where a rule is entered from. */
export interface RuleSettings {
  /** The clock runs before a backend is picked, so this is the rule's. */
  readonly rule: PathSettings;
  readonly at: (backend: ObjectId, port: number) => PathSettings;
}

export interface SettingsReader {
  /** By listener; a listener that is missing is one that the RetryPolicy kind does not pass. */
  readonly pathsTo: (route: KubeObject) => ReadonlyMap<TargetId, Path>;
  /** Without a path: what the rule says itself. */
  readonly ofRule: (path: Path | undefined, rule: Section) => RuleSettings;
}

export function settingsReader(world: World): SettingsReader {
  const kind = world.rulebook.byPolicyKind.get(RETRY_POLICY);
  if (kind === undefined) return { pathsTo: () => new Map(), ofRule: (_, rule) => ownSettings(rule) };
  const finder = new PathFinder(world, kind);
  return {
    pathsTo: (route) => byListener(finder.pathsTo(route)),
    ofRule: (path, rule) => {
      const below = path === undefined ? undefined : finder.into(path, rule);
      return below === undefined ? ownSettings(rule) : settingsBelow(finder, kind, below);
    },
  };
}

function settingsBelow(finder: PathFinder, kind: CompiledKind, path: Path): RuleSettings {
  const rule = settingsOf(foldPath(path, kind));
  return {
    rule,
    at: (backend, port) => {
      const end = finder.onTo(path, backend, port);
      return end === undefined ? rule : settingsOf(foldPath(end, kind));
    },
  };
}

/** Not those of a mesh, and not those of a Gateway that does not exist. */
function byListener(paths: readonly Path[]): ReadonlyMap<TargetId, Path> {
  const found = new Map<TargetId, Path>();
  for (const path of paths) {
    for (let at: Path | undefined = path; at !== undefined; at = at.up) {
      if (at.node.section?.section !== "Listener") continue;
      found.set(targetId(at.node.id, at.node.section.name), path);
      break;
    }
  }
  return found;
}

function ownSettings({ raw }: Section): RuleSettings {
  const rule = pathSettings(retrySettings(raw));
  return { rule, at: () => rule };
}

// A fold is shared by all paths with the same policies, and so is what is read from it.
const known = new WeakMap<EffectiveSpec, PathSettings>();

function settingsOf(core: EffectiveSpec): PathSettings {
  let settings = known.get(core);
  if (settings === undefined) {
    settings = pathSettings(retrySettings(core.spec));
    known.set(core, settings);
  }
  return settings;
}

function pathSettings({ plan, timeouts, maxBodyBytes, budget }: RetrySettings): PathSettings {
  return {
    requestTimeoutMs: timeouts.requestMs,
    backendRequestTimeoutMs: timeouts.backendRequestMs,
    // Without a retry there is nothing to keep a body for.
    retry: plan === undefined || plan.attempts === 0 ? undefined : { plan, maxBodyBytes, budget },
  };
}
