import type { World } from "../../core/effective/world/world.ts";
import { isHandle } from "../../core/explain/policy-handle.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { type Redaction, redactionFor } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import type { CommandContext } from "../command.ts";
import { findByHandle } from "./find-by-handle.ts";
import { type FoundTarget, findTarget, type OneTarget, oneTarget, type Scope } from "./find-targets.ts";

/** A target and the source that it was found in. */
export interface LoadedTarget {
  readonly target: FoundTarget;
  readonly source: LoadedSource;
  readonly redaction: Redaction;
}

/** Loads the source and finds the target, for commands that take one object. Undefined after a printed error; `nothing` is the error if no target is given. */
export async function loadTarget(context: CommandContext, nothing: string): Promise<LoadedTarget | undefined> {
  const { args, options, load, fail, example } = context;
  const refuse = (message: string, ...hints: readonly string[]): undefined => void fail(message, ...hints);
  const parsed = parseVisibleScope(options);
  if (!parsed.ok) return refuse(parsed.message);
  if (args.length === 0) return refuse(nothing, example);
  const source = await load();
  if (source === undefined) return undefined;
  const search = findNamed(source.world, args, parsed.view.scope);
  if (!search.ok) return refuse(search.message, ...search.hints);
  return { target: search.target, source, redaction: redactionFor(parsed.view.redaction, source.world) };
}

function findNamed(world: World, words: readonly string[], scope: Scope): OneTarget {
  const [word = "", ...others] = words;
  return isHandle(word) && others.length === 0
    ? oneTarget(world, findByHandle(world, word), words)
    : findTarget(world, words, scope);
}
