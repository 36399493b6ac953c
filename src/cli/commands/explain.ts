import { explainTarget } from "../../core/explain/explain-target.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { findTarget, parseScope } from "../find-targets.ts";
import { printData } from "../output-format.ts";

export const command: Command = {
  usage: ["TARGET -f FILE|DIR|- [options]"],
  description: ["Skeleton."],
  options: [{ name: "all-paths", help: "show every path, also where paths have the same outcome" }],
  takes: ["scope", "table", "source"],
  outputs: ["wide", "yaml", "json", "name"],
  examples: [{ what: "What applies to the route baker?", line: "explain httproute/baker -f examples/bakery" }],
  run: async ({ args, options, load, fail, print }) => {
    const scope = parseScope(options);
    if (!scope.ok) return fail(scope.message);
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const search = findTarget(source.evaluation.world, args, scope.scope);
    if (!search.ok) return fail(search.message, ...search.hints);
    const explanation = explainTarget(source.evaluation.world, search.target, { group: !options.has("all-paths") });
    printData(print, "json", explanation);
    return exitCodes.ok;
  },
};
