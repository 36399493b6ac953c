import { explainTarget } from "../../core/explain/explain-target.ts";
import type { Explanation } from "../../core/explain/explanation.ts";
import { kindId, parseObjectId } from "../../core/model/refs.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { explanationJson } from "../explanation-json.ts";
import { type FoundTarget, findTarget, parseScope, writeTarget } from "../find-targets.ts";
import type { Source } from "../load-source.ts";
import { printData } from "../output-format.ts";
import { parseRedaction, type Redaction, redactOption } from "../redaction.ts";
import { resourceName } from "../resource-name.ts";
import { tellExplanation } from "../tell-explanation.ts";

export const command: Command = {
  usage: ["TARGET -f FILE|DIR|- [options]"],
  description: [
    "For each policy kind: every value that holds for the target, the policy, block and line it comes from, and what it won against and why. " +
      "Then the policies that aim at the target without effect, and the conditions found in its status.",
    "A target is KIND/NAME, with #SECTION behind for a listener, a route rule or a service port. Rules without a name are rule-1, rule-2 and so on. " +
      "Where a target has several paths (listeners, rules, backends), values are told once for all paths that agree.",
  ],
  options: [{ name: "all-paths", help: "tell path by path, also where paths have the same outcome" }, redactOption],
  takes: ["scope", "source"],
  outputs: ["wide", "yaml", "json", "name"],
  examples: [
    { what: "What applies to the route baker, and why?", line: "explain httproute/baker -f examples/bakery" },
    {
      what: "To its second rule, on each of its paths",
      line: "explain httproute/baker#rule-2 --all-paths -f examples/bakery",
    },
    { what: "To one listener of the gateway", line: "explain gtw/prod#https -f examples/bakery" },
    {
      what: "Without what other teams may keep to themselves",
      line: "explain httproute/baker -n bakery --redact -f examples/bakery",
    },
    { what: "For a program", line: "explain svc/oven -o json -f examples/bakery" },
  ],
  run: async (context) => {
    const { args, options, load, fail, example } = context;
    const scope = parseScope(options);
    if (!scope.ok) return fail(scope.message);
    const redaction = parseRedaction(options);
    if (!redaction.ok) return fail(redaction.message);
    if (args.length === 0) return fail("explain what? Name a target: KIND/NAME", example);
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const search = findTarget(source.evaluation.world, args, scope.scope);
    if (!search.ok) return fail(search.message, ...search.hints);
    return explain(search.target, source, redaction.redaction, context);
  },
};

function explain(target: FoundTarget, source: Source, redaction: Redaction, context: CommandContext): ExitCode {
  const { print, output, options, io, fail } = context;
  const { world } = source.evaluation;
  if (world.rulebook.byPolicyKind.has(kindId(target.ref))) {
    return fail(
      `${writeTarget(target)} is a policy: explain tells what applies to an object`,
      `See where it stands: ${io.program} get policies ${writeTarget(target)}`,
    );
  }
  const allPaths = options.has("all-paths");
  const explanation = explainTarget(world, target, { group: !allPaths });
  if (output === "json" || output === "yaml") printData(print, output, explanationJson(explanation, source, redaction));
  else if (output === "name") printNames(explanation, redaction, context);
  else tellExplanation(explanation, { print, source, redaction, wide: output === "wide", allPaths });
  return exitCodes.ok;
}

/** The policies that decide something here. */
function printNames({ kinds }: Explanation, redaction: Redaction, { print }: CommandContext): void {
  const parts = kinds.flatMap(({ outcomes }) => outcomes.flatMap(({ policies }) => policies));
  const deciding = parts.filter(
    ({ prevailing, removes, policy }) => prevailing + removes.length > 0 && !redaction.isHidden(policy),
  );
  for (const policy of new Set(deciding.map((part) => part.policy))) print.line(resourceName(parseObjectId(policy)));
}
