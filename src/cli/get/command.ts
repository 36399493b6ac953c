import type { Caveat } from "../../core/caveats/caveat.ts";
import type { World } from "../../core/effective/world/world.ts";
import { findKinds, kindWords } from "../../core/explain/kind-words.ts";
import { kindId, objectId } from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { controllerNameOption, parseControllerName } from "../args/controller-name.ts";
import { type Redaction, redactOption } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import { answerCaveats, questionAbout } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats, qualification } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { type FoundTarget, findTargets, isInScope, type Scope, type TargetSearch } from "../target/find-targets.ts";
import { getDefinitions } from "./definitions.ts";
import { getEffective } from "./effective.ts";
import type { GetContext } from "./get-context.ts";
import { getPolicies } from "./policies.ts";
import { getTargets } from "./targets.ts";

/** The printer of each resource. It returns the number of printed items. */
const resources: Readonly<Record<string, (get: GetContext) => number>> = {
  policies: getPolicies,
  targets: getTargets,
  effective: getEffective,
  definitions: getDefinitions,
};

const aliases: Readonly<Record<string, string>> = {
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
    "policies [POLICY… | TARGET…] [-f FILE|DIR|-]",
    "targets [TARGET…] [-f FILE|DIR|-]",
    "effective [TARGET… | POLICY…] [-f FILE|DIR|-]",
    "definitions [KIND…] [-f FILE|DIR|-]",
  ],
  description: [
    "policies: every policy with its targets, its verdict and the number of paths on which it takes effect. With a TARGET: the policies that are attached to it or take effect on it. -o json and -o yaml have the status that a controller would write, too.",
    "targets: every object that a policy can target, the policies attached to it and the policies that take effect on it.",
    "effective: the effective policy of every path that has a policy. With -o json this is the view for programs, an EffectivePolicyList: one item for each path, with its spec and, for every value, the policy that it comes from and the values that it overrides. Its schema is docs/schemas/effective-policy-list.json.",
    "definitions: the policy kinds, the kinds that they can target and their merge strategies.",
  ],
  options: [controllerNameOption, redactOption],
  takes: ["scope", "table", "source", "cluster"],
  outputs: ["wide", "yaml", "json", "name"],
  examples: [
    { what: "All policies and their verdicts", line: "get policies -f examples/bakery" },
    {
      what: "The policies that take effect on the route baker",
      line: "get policies httproute/baker -f examples/bakery",
    },
    {
      what: "One policy, with the policies that override it",
      line: "get policies friday-fix -o wide -f examples/bakery",
    },
    {
      what: "All objects in the namespace bakery that a policy can target",
      line: "get targets -n bakery -f examples/bakery",
    },
    {
      what: "All effective policies below the gateway, for a program",
      line: "get effective gtw/prod -o json -f examples/bakery",
    },
    { what: "All policy kinds", line: "get definitions -f examples/bakery" },
  ],
  run: async (context) => {
    const { args, options, load, fail, note, example, output, print, errorPrint } = context;
    const [word, ...words] = args;
    const names = Object.keys(resources);
    if (word === undefined) return fail(`no resource given: name one of ${names.join(", ")}`, example);
    const name = aliases[word.toLowerCase()] ?? word.toLowerCase();
    const get = Object.hasOwn(resources, name) ? resources[name] : undefined;
    if (get === undefined)
      return fail(`unknown resource '${word}': get knows ${names.join(", ")}${didYouMean(word, names)}`);
    const parsed = parseVisibleScope(options);
    if (!parsed.ok) return fail(parsed.message);
    const { scope, redaction } = parsed.view;
    const controller = parseControllerName(options);
    if (!controller.ok) return fail(controller.message);
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const { world } = source;
    const search = (name === "definitions" ? findDefined(world, words) : undefined) ?? findNamed(world, words, scope);
    if (!search.ok) return fail(search.message, ...search.hints);
    const targets = words.length === 0 ? undefined : search.targets;
    const caveats = caveatsOf(name, source, targets, redaction);
    const count = get({
      context,
      source,
      world,
      scope,
      redaction,
      controllerName: controller.controllerName,
      targets,
      caveats,
    });
    if (count === 0)
      note(
        `${caveats.length === 0 ? "nothing" : "nothing known"} found${whereWords(context)}${qualification(caveats)}`,
      );
    if (output !== "json" && output !== "yaml") printCaveats(caveats, output === "name" ? errorPrint : print);
    return exitCodeWith(caveats, options, exitCodes.ok);
  },
};

/** The caveats of a list. */
function caveatsOf(
  resource: string,
  source: LoadedSource,
  targets: readonly FoundTarget[] | undefined,
  redaction: Redaction,
): readonly Caveat[] {
  if (resource !== "definitions") return answerCaveats(source, questionAbout(source.world, targets), { redaction });
  // What a policy kind means does not depend on the objects that are there.
  return answerCaveats(source, { about: "Input" }, { redaction }).filter(({ code }) => !code.startsWith("Absent"));
}

/** The policy kinds that the words name, with or without an object of the kind. Undefined: a word is something else, such as a policy. */
function findDefined(world: World, words: readonly string[]): TargetSearch | undefined {
  const names = kindWords(world);
  const kinds = words.map((word) =>
    findKinds(names, word).filter((kind) => world.rulebook.byPolicyKind.has(kindId(kind))),
  );
  if (words.length === 0 || kinds.some((found) => found.length === 0)) return undefined;
  const refs = kinds.flat().map(({ group, kind }) => ({ group, kind, namespace: "", name: "" }));
  return { ok: true, targets: refs.map((ref) => ({ id: objectId(ref), ref })) };
}

/** Finds targets as every command does, and in addition policies by their names alone: `get policies friday-fix`. */
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
