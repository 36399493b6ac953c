import type { World } from "../../core/effective/world/world.ts";
import { reachPolicy } from "../../core/explain/reach/reach-policy.ts";
import type { Reach } from "../../core/explain/reach/result.ts";
import { formatRef, kindId, objectId } from "../../core/model/refs.ts";
import { redactOption } from "../args/redaction.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { formatCaveat, printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
import { findRule } from "../target/find-rule.ts";
import { type FoundTarget, formatTargetName } from "../target/find-targets.ts";
import { type LoadedTarget, loadTarget } from "../target/load-target.ts";
import { resourceName } from "../target/resource-name.ts";
import { answerVia } from "../view/answer-via.ts";
import { viaOption } from "../view/via-option.ts";
import { policyFocus } from "../watch/focus.ts";
import { followAnswer } from "../watch/follow-answer.ts";
import { watchOption } from "../watch/watch-option.ts";
import { reachJson } from "./json.ts";
import { printReach } from "./text.ts";

export const command: Command = {
  usage: ["POLICY [-f FILE|DIR|-] [options]"],
  description: [
    "The blast radius of a policy: on how many gateways, listeners, routes, rules and backends it takes effect; then, for each value, where it takes effect, where it " +
      "is overridden, by which policy and in which line; then the objects by name. For a policy that reaches nothing, the reason.",
    "A policy is written KIND/NAME. --rule selects one rule by its name, one value by its path (retry.attempts), or all values below a path (retry). In a cluster, '~HANDLE' is the policy that the view API shows by this handle (controller --redact-names).",
  ],
  options: [
    { name: "rule", value: "RULE", help: "only this rule of the policy: its name, or the path of a value" },
    watchOption,
    redactOption,
    viaOption,
  ],
  takes: ["scope", "source", "definitions", "cluster"],
  outputs: ["wide", "yaml", "json", "name"],
  examples: [
    { what: "Where does friday-fix take effect?", line: "reach retrypolicy/friday-fix -f examples/bakery" },
    {
      what: "Where does the default limit take effect, and where not?",
      line: "reach ratelimitpolicy/fair-share --rule per-client -f examples/bakery",
    },
    { what: "Path by path", line: "reach clusterretrypolicy/house-rules -o wide -f examples/bakery" },
    {
      what: "The names of all objects that it takes effect on",
      line: "reach authpolicy/front-door -o name -f examples/bakery",
    },
  ],
  run: async (context) => {
    const answered = await answerVia(context, "Policies");
    if (answered !== undefined) return answered;
    const question = await loadTarget(context, "no policy given: name one as KIND/NAME");
    return question === undefined ? exitCodes.failed : reach(question, context);
  },
};

async function reach({ target, source, redaction }: LoadedTarget, context: CommandContext): Promise<ExitCode> {
  const { print, output, options, fail } = context;
  const { world } = source;
  const policy = findPolicy(world, target);
  if (policy === undefined) return notAPolicy({ target, source, redaction }, context);
  if (redaction.isHidden(policy.id))
    return fail(
      `${formatTargetName(target, redaction.kindName)} is outside the namespace that -n names, and --redact hides it`,
    );
  const rule = options.value("rule");
  const wanted = findRule(policy.record.policy, rule);
  if (!wanted.ok) return fail(`${formatRef(target.ref)}: ${wanted.message}`, ...wanted.hints);
  const reached = reachPolicy(world, policy.id, policy.record, rule === undefined ? undefined : wanted.wants);
  const caveats = answerCaveats(source, { about: "Policies", policies: [policy.id] }, { redaction });
  if (output === "json" || output === "yaml") {
    printData(print, output, reachJson(reached, rule, { source, redaction, caveats }));
  } else if (output === "name") {
    printNames(reached, context);
    printCaveats(caveats, context.errorPrint);
  } else {
    printReach(reached, rule, { print, source, redaction, caveats, wide: output === "wide", allPaths: false });
    printCaveats(caveats, print);
  }
  const code = exitCodeWith(caveats, options, exitCodes.ok);
  return followAnswer({ source, redaction, focus: policyFocus(policy.id) }, context, code);
}

type FoundPolicy = { readonly id: Reach["policy"]; readonly record: NonNullable<ReturnType<World["policies"]["get"]>> };

function findPolicy(world: World, { id, sectionName }: FoundTarget): FoundPolicy | undefined {
  // The table has policies only: what is in it is the id of one.
  const policyId = id as Reach["policy"];
  const record = sectionName === undefined ? world.policies.get(policyId) : undefined;
  return record === undefined ? undefined : { id: policyId, record };
}

function notAPolicy({ target, source, redaction }: LoadedTarget, { fail, failWith, io }: CommandContext): ExitCode {
  const name = formatTargetName(target, redaction.kindName);
  const isKnown = source.world.rulebook.factsOf(kindId(target.ref)) !== undefined;
  if (isKnown)
    return fail(
      `${name} is not a policy; reach shows where a policy takes effect`,
      `To see which policies take effect on it: ${io.program} explain ${name}`,
    );
  const broken = answerCaveats(source, { about: "Policies", policies: [target.id as Reach["policy"]] }).find(
    ({ code }) => code === "BrokenDefinition",
  );
  if (broken !== undefined)
    return failWith(
      exitCodes.input,
      `${formatRef(target.ref)} is ignored: the definition of its kind has an error`,
      formatCaveat(broken),
    );
  const { kind, group } = target.ref;
  return fail(
    `${kind} (${group}) is not known to be a policy kind, so it has no effect`,
    "Add a PolicyDefinition, or its CRD with the label gateway.networking.k8s.io/policy.",
    `If there is one, find out what is wrong with it: ${io.program} check`,
  );
}

/** The objects that it takes effect on, each once. */
function printNames({ reachedNodes }: Reach, { print }: CommandContext): void {
  const affected = reachedNodes.filter(({ isBelow, inEffect }) => isBelow && inEffect > 0);
  for (const [, node] of new Map(affected.map(({ node }) => [objectId(node), node]))) print.line(resourceName(node));
}
