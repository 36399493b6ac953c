import type { World } from "../../core/effective/world/world.ts";
import { reachPolicy } from "../../core/explain/reach/reach-policy.ts";
import type { Reach } from "../../core/explain/reach/result.ts";
import { displayRef, kindId, objectId } from "../../core/model/refs.ts";
import { redactOption } from "../args/redaction.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/print-data.ts";
import { findRule } from "../target/find-rule.ts";
import { type FoundTarget, writeTarget } from "../target/find-targets.ts";
import { resourceName } from "../target/resource-name.ts";
import { askTarget, type TargetQuestion } from "../target/target-question.ts";
import { reachJson } from "./json.ts";
import { tellReach } from "./text.ts";

export const command: Command = {
  usage: ["POLICY -f FILE|DIR|- [options]"],
  description: [
    "The blast radius of a policy: for how many gateways, listeners, routes, rules and backends it decides something; then, value by value, where it holds, where it " +
      "is overridden, by whom and in which line; then the places by name. A policy that reaches nothing gets the reason.",
    "A policy is written KIND/NAME. --rule asks for one rule by its name, or for one value by its path (retry.attempts), or all below one (retry).",
  ],
  options: [
    { name: "rule", value: "RULE", help: "only this rule of the policy: its name, or the path of a value" },
    redactOption,
  ],
  takes: ["scope", "source"],
  outputs: ["wide", "yaml", "json", "name"],
  examples: [
    { what: "What hangs on friday-fix?", line: "reach retrypolicy/friday-fix -f examples/bakery" },
    {
      what: "Where is the default limit in force, and where not?",
      line: "reach ratelimitpolicy/fair-share --rule per-client -f examples/bakery",
    },
    { what: "Path by path", line: "reach clusterretrypolicy/house-rules -o wide -f examples/bakery" },
    {
      what: "The names of all objects that it decides something for",
      line: "reach authpolicy/front-door -o name -f examples/bakery",
    },
  ],
  run: async (context) => {
    const question = await askTarget(context, "reach of what? Name a policy: KIND/NAME");
    return question === undefined ? exitCodes.failed : reach(question, context);
  },
};

function reach({ target, source, redaction }: TargetQuestion, context: CommandContext): ExitCode {
  const { print, output, options, fail } = context;
  const { world } = source;
  const policy = findPolicy(world, target);
  if (policy === undefined) return notAPolicy(target, world, context);
  if (redaction.isHidden(policy.id))
    return fail(`${writeTarget(target)} is outside of the namespace that -n names, and --redact hides it`);
  const rule = options.value("rule");
  const wanted = findRule(policy.record.policy, rule);
  if (!wanted.ok) return fail(`${displayRef(target.ref)}: ${wanted.message}`, ...wanted.hints);
  const reached = reachPolicy(world, policy.id, policy.record, wanted.wants);
  if (output === "json" || output === "yaml") printData(print, output, reachJson(reached, rule, source, redaction));
  else if (output === "name") printNames(reached, context);
  else tellReach(reached, rule, { print, source, redaction, wide: output === "wide", allPaths: false });
  return exitCodes.ok;
}

type FoundPolicy = { readonly id: Reach["policy"]; readonly record: NonNullable<ReturnType<World["policies"]["get"]>> };

function findPolicy(world: World, { id, sectionName }: FoundTarget): FoundPolicy | undefined {
  // The table has policies only: what is in it is the id of one.
  const policyId = id as Reach["policy"];
  const record = sectionName === undefined ? world.policies.get(policyId) : undefined;
  return record === undefined ? undefined : { id: policyId, record };
}

function notAPolicy(target: FoundTarget, { rulebook }: World, { fail, io }: CommandContext): ExitCode {
  const name = writeTarget(target);
  const isKnown = rulebook.factsOf(kindId(target.ref)) !== undefined;
  if (isKnown)
    return fail(
      `${name} is no policy: reach tells what a policy decides`,
      `What applies to it: ${io.program} explain ${name}`,
    );
  const { kind, group } = target.ref;
  return fail(
    `nothing says that ${kind} (${group}) is a kind of policy, so it decides nothing`,
    "Add a PolicyDefinition, or its CRD with the label gateway.networking.k8s.io/policy.",
    `If there is one, see what is wrong with it: ${io.program} check`,
  );
}

/** Objects that it decides something for, each once. */
function printNames({ places }: Reach, { print }: CommandContext): void {
  const deciding = places.filter((place) => place.isBelow && place.deciding > 0);
  for (const [, node] of new Map(deciding.map(({ node }) => [objectId(node), node]))) print.line(resourceName(node));
}
