import type { World } from "../../core/effective/world/world.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import { redactOption } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import type { Command, CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { type FoundTarget, findTargets, isInScope, type Scope, type TargetSearch } from "../target/find-targets.ts";
import { getDefinitions } from "./definitions.ts";
import { getEffective } from "./effective.ts";
import type { GetContext } from "./get-context.ts";
import { getPolicies } from "./policies.ts";
import { getTargets } from "./targets.ts";

/** Each prints its list and returns how long it is. */
const resources: Readonly<Record<string, (get: GetContext) => number>> = {
  policies: getPolicies,
  targets: getTargets,
  effective: getEffective,
  definitions: getDefinitions,
};

const otherNames: Readonly<Record<string, string>> = {
  policy: "policies",
  target: "targets",
  effectivepolicies: "effective",
  effectivepolicy: "effective",
  definition: "definitions",
  policydefinitions: "definitions",
  policydefinition: "definitions",
};

export const command: Command = {
  usage: [
    "policies [POLICY… | TARGET…] -f FILE|DIR|-",
    "targets [TARGET…] -f FILE|DIR|-",
    "effective [TARGET… | POLICY…] -f FILE|DIR|-",
    "definitions [KIND…] -f FILE|DIR|-",
  ],
  description: [
    "policies: every policy with its targets, its verdict, and how much of it prevails. Named by a target, those that are attached to it or apply to it.",
    "targets: every object that a policy can target, the policies attached to it, and those that decide something for it.",
    "effective: what holds on every path that has a policy. With -o json this is the view for programs, an EffectivePolicyList: one item for each path, with its spec and for every value who decides it and what lost. Its schema is docs/schemas/effective-policy-list.json.",
    "definitions: the policy kinds, what they may target and how they merge.",
  ],
  options: [redactOption],
  takes: ["scope", "table", "source"],
  outputs: ["wide", "yaml", "json", "name"],
  examples: [
    { what: "Which policies are there, and what became of them?", line: "get policies -f examples/bakery" },
    { what: "Which of them have to do with the route baker?", line: "get policies httproute/baker -f examples/bakery" },
    { what: "One policy, with whom it lost to", line: "get policies friday-fix -o wide -f examples/bakery" },
    { what: "What can a policy of the bakery be attached to?", line: "get targets -n bakery -f examples/bakery" },
    {
      what: "Everything that holds behind the gateway, for a program",
      line: "get effective gtw/prod -o json -f examples/bakery",
    },
    { what: "Which policy kinds are known?", line: "get definitions -f examples/bakery" },
  ],
  run: async (context) => {
    const { args, options, load, fail, note, example } = context;
    const [word, ...words] = args;
    const names = Object.keys(resources);
    if (word === undefined) return fail(`get what? One of ${names.join(", ")}`, example);
    const name = otherNames[word.toLowerCase()] ?? word.toLowerCase();
    const get = Object.hasOwn(resources, name) ? resources[name] : undefined;
    if (get === undefined) return fail(`get has no '${word}'; it has ${names.join(", ")}${didYouMean(word, names)}`);
    const parsed = parseVisibleScope(options);
    if (!parsed.ok) return fail(parsed.message);
    const { scope, redaction } = parsed.view;
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const { world } = source;
    const search = findNamed(world, words, scope);
    if (!search.ok) return fail(search.message, ...search.hints);
    const targets = words.length === 0 ? undefined : search.targets;
    const count = get({ context, source, world, scope, redaction, targets });
    if (count === 0) note(`nothing found${whereWords(context)}`);
    return exitCodes.ok;
  },
};

/** Targets as everywhere, and policies by their bare names: `get policies friday-fix`. */
function findNamed(world: World, words: readonly string[], scope: Scope): TargetSearch {
  const named: FoundTarget[] = [];
  world.policies.forEach(({ object }, id) => {
    if (words.includes(object.ref.name) && isInScope(object, scope)) named.push({ id, ref: object.ref, object });
  });
  const isNamed = words.length > 0 && words.every((word) => named.some(({ ref }) => ref.name === word));
  return isNamed ? { ok: true, targets: named } : findTargets(world, words, scope);
}

function whereWords({ options }: CommandContext): string {
  const namespace = options.has("all-namespaces") ? undefined : options.value("namespace");
  const selector = options.value("selector");
  return `${namespace === undefined ? "" : ` in namespace '${namespace}'`}${selector === undefined ? "" : ` with the labels '${selector}'`}`;
}
