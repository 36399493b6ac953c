import type { World } from "../effective/world/world.ts";
import { isSensitive } from "../explain/is-sensitive.ts";
import { handleRef } from "../explain/policy-handle.ts";
import type { Lost, Source } from "../merge/provenance.ts";
import { type ObjectId, type ObjectRef, type PolicyId, parseObjectId } from "../model/refs.ts";
import type { ViewContext, Viewer } from "./view-context.ts";

/** Why a value is not shown. */
export const REDACTED = "set by a policy that you may not read";

/**
 * Visible parts of a policy that the user may not read
 *
 * A user who may see the effective policies of an object sees of each policy that takes effect on it: that there is one, its kind, namespace and name,
 * and which fields it sets. They see the values that it sets for the object if its definition says `visibility: Target`, but never those at a
 * `sensitive` path. With `--redact-names` a handle stands for namespace and name. Nothing else of the policy is shown: no other settings,
 * no overridden ones unless the definition says `Target`, no conditions and no messages.
 * GEP-713, "Application Developer Discoverability"
 */
export class VisibleValues {
  readonly #world: World;
  readonly #viewer: Viewer;
  readonly #redactsNames: boolean;

  constructor({ world, redactsNames = false }: Pick<ViewContext, "world" | "redactsNames">, viewer: Viewer) {
    this.#world = world;
    this.#viewer = viewer;
    this.#redactsNames = redactsNames;
  }

  /** True if the namespace and the name of the object may be shown, as far as it is a policy. */
  isNamed(object: ObjectId): boolean {
    return !this.#redactsNames || this.#viewer.mayRead(object) || !this.#world.policies.has(object as PolicyId);
  }

  /** The policy by its name, or by its handle. */
  refOf(policy: PolicyId): ObjectRef {
    const ref = parseObjectId(policy);
    return this.isNamed(policy) ? ref : handleRef(ref, this.#world.objects.get(policy));
  }

  /** True if the user may see the value that the policy sets at a pointer of its spec. */
  isShown(policy: PolicyId, pointer: string, { isMapped }: { readonly isMapped: boolean }): boolean {
    if (this.#viewer.mayRead(policy)) return true;
    const { visibility, sensitive = [] } = this.#definitionOf(policy) ?? {};
    if (visibility !== "Target") return false;
    // A pointer into an item of an object's own list begins somewhere below a setting of the policy.
    return isMapped ? sensitive.length === 0 : !isSensitive(this.#world, policy, pointer);
  }

  /** True if the user may know that the policy has settings for the target, also where they do not take effect. */
  isKnown(policy: PolicyId): boolean {
    return this.#viewer.mayRead(policy) || this.#definitionOf(policy)?.visibility === "Target";
  }

  /** True if the value that takes effect may be shown. A computed value may reveal each value that it was computed from. */
  isEffectiveShown({ policy, pointer, computed, decidedBy, lost }: Source, options: { isMapped: boolean }): boolean {
    const origins = computed === true ? [policy, decidedBy.policy, ...lost.map(originOf)] : [policy];
    return origins.every((origin) => origin === null || this.isShown(origin, pointer, options));
  }

  #definitionOf(policy: PolicyId): World["rulebook"]["kinds"][number]["definition"] | undefined {
    return this.#world.policies.get(policy)?.kind.definition;
  }
}

const originOf = ({ policy }: Lost): PolicyId | null => policy ?? null;
