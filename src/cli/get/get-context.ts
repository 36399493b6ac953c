import type { Caveat } from "../../core/caveats/caveat.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import type { CommandContext } from "../command.ts";
import type { FoundTarget, Scope } from "../target/find-targets.ts";

/** The context of every `get` resource. */
export interface GetContext {
  readonly context: CommandContext;
  readonly source: LoadedSource;
  readonly world: World;
  readonly scope: Scope;
  readonly redaction: Redaction;
  /** The controller whose status `get policies` prints. */
  readonly controllerName: string;
  readonly caveats: readonly Caveat[];
  /** The rows in the order of `--sort-by`, by their JSON. Undefined: that is not possible; the reason has been printed. */
  readonly sort: <T>(rows: readonly T[], jsonOf: (row: T) => object) => readonly T[] | undefined;
  /** The targets that the arguments name. Undefined: everything in scope. */
  readonly targets: readonly FoundTarget[] | undefined;
}
