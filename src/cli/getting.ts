import type { World } from "../core/effective/world/world.ts";
import type { CommandContext } from "./command.ts";
import type { FoundTarget, Scope } from "./find-targets.ts";
import type { Source } from "./load-source.ts";
import type { Redaction } from "./redaction.ts";

/** What every `get …` works with. */
export interface Getting {
  readonly context: CommandContext;
  readonly source: Source;
  readonly world: World;
  readonly scope: Scope;
  readonly redaction: Redaction;
  /** What the words behind the resource name; undefined: everything in scope. */
  readonly targets: readonly FoundTarget[] | undefined;
}
