import { type EffectiveCore, sourcesOf } from "./effective-core.ts";
import type { Source } from "./effective-policy.ts";

/** Enough for the paths that are read one after the other; what is forgotten is told again from the fold. */
const MAX_KNOWN = 1024;

/** Provenance as plain data, told once for the paths that share a fold; not kept for all of them. */
export class KnownSources {
  readonly #known: Map<EffectiveCore, readonly Source[]> = new Map();
  #last: { readonly core: EffectiveCore; readonly sources: readonly Source[] } | undefined;

  of(core: EffectiveCore): readonly Source[] {
    if (this.#last?.core === core) return this.#last.sources;
    const sources = this.#known.get(core) ?? this.#tell(core);
    this.#last = { core, sources };
    return sources;
  }

  #tell(core: EffectiveCore): readonly Source[] {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const sources = sourcesOf(core, undefined);
    this.#known.set(core, sources);
    return sources;
  }
}
