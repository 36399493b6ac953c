import { explainTarget } from "../../core/explain/explain/explain-target.ts";
import type { Explanation } from "../../core/explain/explain/result.ts";
import { trafficThrough } from "../../core/explain/worth/traffic-through.ts";
import { kindId, parseObjectId } from "../../core/model/refs.ts";
import { type Redaction, redactOption } from "../args/redaction.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import { refusing } from "../cluster/open-cluster.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
import { formatTargetName } from "../target/find-targets.ts";
import { type LoadedTarget, loadTarget } from "../target/load-target.ts";
import { resourceName } from "../target/resource-name.ts";
import { answerVia } from "../view/answer-via.ts";
import { viaOption } from "../view/via-option.ts";
import { targetFocus } from "../watch/focus.ts";
import { followAnswer } from "../watch/follow-answer.ts";
import { watchOption } from "../watch/watch-option.ts";
import { gatewayAdminOption } from "../worth/gateway-admin-option.ts";
import { type ReadCounts, readRetryCounts } from "../worth/read-retry-counts.ts";
import { readRetryViews } from "../worth/read-retry-views.ts";
import { printTraffic } from "../worth/text.ts";
import { blameOption, withBlame } from "./blame.ts";
import { type ExplainedTraffic, explanationJson } from "./json.ts";
import { printExplanation } from "./text.ts";

export const command: Command = {
  usage: ["TARGET [-f FILE|DIR|-] [options]"],
  description: [
    "For each policy kind: every value that takes effect on the target, the policy, block and line it comes from, and what it overrides or replaces. " +
      "Without a policy, what the target is connected with (parents, hosts, listeners, routes, backends), and the values that objects set themselves: retry and timeouts of an HTTPRoute. " +
      "Then the policies that name the target without effect, and the conditions in its status.",
    "A target is KIND/NAME, followed by #SECTION for a listener, a route rule or a service port. Rules without a name are rule-1, rule-2 and so on. " +
      "Where a target has several paths (listeners, rules, backends), a value is printed once for all paths that share it.",
  ],
  options: [
    { name: "all-paths", help: "print each path on its own, also where paths have the same result" },
    gatewayAdminOption,
    blameOption,
    watchOption,
    redactOption,
    viaOption,
  ],
  takes: ["scope", "source", "definitions", "cluster"],
  outputs: ["wide", "yaml", "json", "name"],
  examples: [
    {
      what: "Which policies take effect on the route baker, and why?",
      line: "explain httproute/baker -f examples/bakery",
    },
    {
      what: "On its second rule, path by path",
      line: "explain httproute/baker#rule-2 --all-paths -f examples/bakery",
    },
    { what: "On one listener of the gateway", line: "explain gtw/prod#https -f examples/bakery" },
    {
      what: "Without the details of policies in other namespaces",
      line: "explain httproute/baker -n bakery --redact -f examples/bakery",
    },
    { what: "For a program", line: "explain svc/oven -o json -f examples/bakery" },
  ],
  run: async (context) => {
    const answered = await answerVia(context, "Targets");
    if (answered !== undefined) return answered;
    const counts = await readRetryCounts(context);
    if (typeof counts === "string") return context.fail(counts);
    const target = await loadTarget(context, "no target given: name one as KIND/NAME");
    return target === undefined ? exitCodes.failed : explain(target, counts, context);
  },
};

async function explain(
  { target, source: loaded, redaction }: LoadedTarget,
  given: ReadCounts | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const { print, output, options, io, fail, failWith } = context;
  const { world } = loaded;
  if (world.rulebook.byPolicyKind.has(kindId(target.ref))) {
    return fail(
      `${formatTargetName(target, redaction.kindName)} is a policy; explain shows which policies take effect on an object`,
      `To see the state of the policy: ${io.program} get policies ${formatTargetName(target, redaction.kindName)}`,
    );
  }
  const allPaths = options.has("all-paths");
  const explanation = explainTarget(world, target, { group: !allPaths });
  const blamed = await refusing(async () => (options.has(blameOption.name) ? withBlame(loaded, explanation) : loaded));
  if (!blamed.ok) return failWith(exitCodes.input, blamed.message, ...blamed.hints);
  const source = blamed.value;
  const counts = given ?? (await readRetryViews(context, { refs: [target.ref], refusals: "Silent" }));
  const known = answerCaveats(source, { about: "Objects", objects: [target.id] }, { redaction });
  const caveats = [...known, ...(counts?.caveats ?? [])];
  const retries = explainedTraffic(explanation, source, counts);
  if (output === "json" || output === "yaml") {
    printData(print, output, explanationJson(explanation, { source, redaction, caveats, retries }));
  } else if (output === "name") {
    printNames(explanation, redaction, context);
    printCaveats(caveats, context.errorPrint);
  } else {
    printExplanation(explanation, {
      print,
      source,
      redaction,
      caveats: known,
      wide: output === "wide",
      allPaths,
      nowMs: io.now(),
    });
    if (retries !== undefined) printTraffic(retries.traffic, retries.report, print);
    printCaveats(caveats, print);
  }
  const code = exitCodeWith(caveats, options, exitCodes.ok);
  return followAnswer({ source, redaction, focus: targetFocus(target) }, context, code);
}

/** Undefined: not asked for, not known, or requests are not counted by objects of this kind. */
function explainedTraffic(
  { target }: Explanation,
  { world }: LoadedTarget["source"],
  counts: ReadCounts | undefined,
): ExplainedTraffic | undefined {
  const report = counts?.report;
  const traffic = report === undefined ? undefined : trafficThrough(world, target, report.counts);
  return report === undefined || traffic === undefined ? undefined : { traffic, report };
}

/** The policies that take effect here. */
function printNames({ kinds }: Explanation, redaction: Redaction, { print }: CommandContext): void {
  const parts = kinds.flatMap(({ outcomes }) => outcomes.flatMap(({ policies }) => policies));
  const effective = parts.filter(
    ({ inEffect, removes, policy }) => inEffect + removes.length > 0 && !redaction.isHidden(policy),
  );
  for (const policy of new Set(effective.map((part) => part.policy))) print.line(resourceName(parseObjectId(policy)));
}
