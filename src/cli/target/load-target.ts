import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import type { CommandContext } from "../command.ts";
import { type FoundTarget, findTarget } from "./find-targets.ts";

/** A question about one object, and what to answer it from. */
export interface LoadedTarget {
  readonly target: FoundTarget;
  readonly source: LoadedSource;
  readonly redaction: Redaction;
}

/** For commands about one object. Undefined: it cannot be answered, and the reason has been printed; `nothing` is the reason where no object is named. */
export async function loadTarget(context: CommandContext, nothing: string): Promise<LoadedTarget | undefined> {
  const { args, options, load, fail, example } = context;
  const refuse = (message: string, ...hints: readonly string[]): undefined => void fail(message, ...hints);
  const parsed = parseVisibleScope(options);
  if (!parsed.ok) return refuse(parsed.message);
  if (args.length === 0) return refuse(nothing, example);
  const source = await load();
  if (source === undefined) return undefined;
  const search = findTarget(source.world, args, parsed.view.scope);
  if (!search.ok) return refuse(search.message, ...search.hints);
  return { target: search.target, source, redaction: parsed.view.redaction };
}
