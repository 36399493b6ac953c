/** The retry settings and timeouts on the path from a listener through a rule to a backend, from the effective RetryPolicy. */
import { foldPath } from "../../effective/fold/fold-path.ts";
import type { Path } from "../../effective/paths/path.ts";
import { PathFinder } from "../../effective/paths/path-finder.ts";
import type { World } from "../../effective/world/world.ts";
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import { remember } from "../../model/collections/remember.ts";
import { RETRY_POLICY } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { type ObjectId, type TargetId, targetId } from "../../model/refs.ts";
import { type RetrySettings, retrySettings } from "../../retry/retry-settings.ts";
import type { Section } from "../../topology/sections-of.ts";
import type { RetryConfig } from "../gateway-config.ts";

/** Paths with the same policies and own values share this object. */
export interface PathSettings {
  readonly requestTimeoutMs: number | undefined;
  readonly backendRequestTimeoutMs: number | undefined;
  readonly retry: RetryConfig | undefined;
}

/** The settings of a rule at one listener. */
export interface RuleSettings {
  /** The request timeout is the rule's, because it starts before a backend is picked. */
  readonly rule: PathSettings;
  readonly at: (backend: ObjectId, port: number) => PathSettings;
}

const NOTHING: PathSettings = { requestTimeoutMs: undefined, backendRequestTimeoutMs: undefined, retry: undefined };

/** The settings of a connection that is not HTTP: there are no requests to retry or to time. */
export const NO_SETTINGS: RuleSettings = { rule: NOTHING, at: () => NOTHING };

export interface SettingsReader {
  /** The paths by listener. A listener is missing if the hierarchy of the RetryPolicy kind does not contain it. */
  readonly pathsTo: (route: KubeObject) => ReadonlyMap<TargetId, Path>;
  /** Without a path, the settings are the own values of the rule. */
  readonly ofRule: (path: Path | undefined, rule: Section) => RuleSettings;
}

export function settingsReader(world: World): SettingsReader {
  const kind = world.rulebook.byPolicyKind.get(RETRY_POLICY);
  if (kind === undefined) return { pathsTo: () => new Map(), ofRule: (_, rule) => ownSettings(rule) };
  const finder = new PathFinder(world, kind);
  const settingsOf = createSettingsCache();
  const settingsBelow = (path: Path): RuleSettings => {
    const rule = settingsOf(foldPath(path, kind));
    return {
      rule,
      at: (backend, port) => {
        const end = finder.onTo(path, backend, port);
        return end === undefined ? rule : settingsOf(foldPath(end, kind));
      },
    };
  };
  return {
    pathsTo: (route) => byListener(finder.pathsTo(route)),
    ofRule: (path, rule) => {
      const below = path === undefined ? undefined : finder.into(path, rule);
      return below === undefined ? ownSettings(rule) : settingsBelow(below);
    },
  };
}

/** Leaves out paths without a listener: those of a mesh, and those of a Gateway that does not exist. */
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

/** Paths with the same policies share an effective spec, and so their settings. */
function createSettingsCache(): (effective: EffectiveSpec) => PathSettings {
  const known = new Map<EffectiveSpec, PathSettings>();
  return (effective) => remember(known, effective, () => pathSettings(retrySettings(effective.spec)));
}

function pathSettings({ plan, timeouts, maxBodyBytes, budget }: RetrySettings): PathSettings {
  return {
    requestTimeoutMs: timeouts.requestMs,
    backendRequestTimeoutMs: timeouts.backendRequestMs,
    // Without retries the body is not buffered.
    retry: plan === undefined || plan.attempts === 0 ? undefined : { plan, maxBodyBytes, budget },
  };
}
