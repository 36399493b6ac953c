import { explainTarget } from "../../core/explain/explain/explain-target.ts";
import type { Explanation } from "../../core/explain/explain/result.ts";
import { kindId, parseObjectId } from "../../core/model/refs.ts";
import { type Redaction, redactOption } from "../args/redaction.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/print-data.ts";
import { writeTarget } from "../target/find-targets.ts";
import { resourceName } from "../target/resource-name.ts";
import { askTarget, type TargetQuestion } from "../target/target-question.ts";
import { explanationJson } from "./json.ts";
import { tellExplanation } from "./text.ts";

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
    const question = await askTarget(context, "explain what? Name a target: KIND/NAME");
    return question === undefined ? exitCodes.failed : explain(question, context);
  },
};

function explain({ target, source, redaction }: TargetQuestion, context: CommandContext): ExitCode {
  const { print, output, options, io, fail } = context;
  const { world } = source;
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
    ({ inEffect, removes, policy }) => inEffect + removes.length > 0 && !redaction.isHidden(policy),
  );
  for (const policy of new Set(deciding.map((part) => part.policy))) print.line(resourceName(parseObjectId(policy)));
}
