import type { Caveat } from "../../core/caveats/caveat.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { controllerNameOption, parseControllerName } from "../args/controller-name.ts";
import { type Redaction, redactionFor, redactOption } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import { answerCaveats, questionAbout } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats, qualification } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { FoundTarget, Scope } from "../target/find-targets.ts";
import { parseJson } from "../template/parse-json.ts";
import { sortBy, sortByOption } from "../template/sort-by.ts";
import { type Focus, scopeFocus, targetsFocus } from "../watch/focus.ts";
import { followAnswer } from "../watch/follow-answer.ts";
import { watchOption } from "../watch/watch-option.ts";
import { getDefinitions } from "./definitions.ts";
import { getEffective } from "./effective.ts";
import { findResource, parseResource, type Resource } from "./find-resource.ts";
import type { GetContext } from "./get-context.ts";
import { getObjects, isSingleObject } from "./objects.ts";
import { getPolicies } from "./policies.ts";
import { getTargets } from "./targets.ts";

/** The printer of each resource. It returns the number of printed items. Undefined: nothing was printed but the reason. */
const resources: Readonly<Record<Resource, (get: GetContext) => number | undefined>> = {
  policies: getPolicies,
  targets: getTargets,
  effective: getEffective,
  definitions: getDefinitions,
  objects: getObjects,
};

export const command: Command = {
  usage: [
    "policies [POLICY… | TARGET…] [-f FILE|DIR|-]",
    "targets [TARGET…] [-f FILE|DIR|-]",
    "effective [TARGET… | POLICY…] [-f FILE|DIR|-]",
    "definitions [KIND…] [-f FILE|DIR|-]",
    "KIND/NAME… | KIND [NAME…] [-f FILE|DIR|-]",
  ],
  description: [
    "policies: every policy with its targets, its verdict and the number of paths on which it takes effect. With a TARGET: the policies that are attached to it or take effect on it. -o json and -o yaml have the status that a controller would write, too.",
    "targets: every object that a policy can target, the policies attached to it and the policies that take effect on it.",
    "effective: the effective policy of every path that has a policy. With -o json this is the view for programs, an EffectivePolicyList: one item for each path, with its spec and, for every value, the policy that it comes from and the values that it overrides. Its schema is docs/schemas/effective-policy-list.json.",
    "definitions: the policy kinds, the kinds that they can target and their merge strategies. -o yaml and -o json print PolicyDefinitions that can be read back.",
    "KIND: objects of any kind, as in kubectl: get httproutes, get gtw/prod, get gateways,httproutes. The table has their hosts, parents, backends and policies; -o json and -o yaml print the objects themselves, without the contents of Secrets.",
  ],
  options: [sortByOption, watchOption, controllerNameOption, redactOption],
  takes: ["scope", "table", "source", "definitions", "cluster"],
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
    {
      what: "All HTTPRoutes with their policies, by name",
      line: "get httproutes --sort-by .metadata.name -f examples/bakery",
    },
    {
      what: "The hosts of a route",
      line: "get httproute/baker -o jsonpath='{.spec.hostnames[*]}' -f examples/bakery",
    },
  ],
  run: async (context) => {
    const { args, options, load, fail, note, example, output, print, errorPrint } = context;
    const asked = parseResource(args);
    if (!asked.ok) return args.length === 0 ? fail(asked.message, example) : fail(asked.message);
    const { resource, words } = asked;
    if (resource === "definitions" && options.has(watchOption.name))
      return fail("-w follows policies, targets and effective policies; definitions are printed once");
    const parsed = parseVisibleScope(options);
    if (!parsed.ok) return fail(parsed.message);
    const { scope } = parsed.view;
    const controller = parseControllerName(options);
    if (!controller.ok) return fail(controller.message);
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const { world } = source;
    const redaction = redactionFor(parsed.view.redaction, world);
    const search = findResource(resource, world, words, scope);
    if (!search.ok) return fail(search.message, ...search.hints);
    const targets = words.length === 0 ? undefined : search.targets;
    const caveats = caveatsOf(resource, source, targets, redaction);
    const count = resources[resource]({
      context,
      source,
      world,
      scope,
      redaction,
      controllerName: controller.controllerName,
      targets,
      caveats,
      sort: (rows, jsonOf) => sorted(rows, jsonOf, context),
    });
    if (count === undefined) return exitCodes.failed;
    if (count === 0)
      note(
        `${caveats.length === 0 ? "nothing" : "nothing known"} found${whereWords(context)}${qualification(caveats)}`,
      );
    const isData = output === "json" || output === "yaml";
    const isSingle = isData && resource === "objects" && isSingleObject(context, targets ?? []);
    if (!isData || isSingle) printCaveats(caveats, output === "name" || isSingle ? errorPrint : print);
    const code = exitCodeWith(caveats, options, exitCodes.ok);
    const focus = (worlds: readonly World[]): Focus => focusOf(resource, worlds, words, scope);
    return followAnswer({ source, redaction, focus }, context, code);
  },
};

function sorted<T>(
  rows: readonly T[],
  jsonOf: (row: T) => object,
  { options, fail }: CommandContext,
): readonly T[] | undefined {
  const path = options.value(sortByOption.name);
  if (path === undefined) return rows;
  const result = sortBy(rows, path, (row) => parseJson(JSON.stringify(jsonOf(row))));
  if (result.ok) return result.value;
  fail(result.message);
  return undefined;
}

/**
 * The parts of a change that concern a list: verdicts for policies, values for effective policies, both for objects, and the objects
 * themselves. Objects may come and go.
 */
function focusOf(resource: Resource, worlds: readonly World[], words: readonly string[], scope: Scope): Focus {
  const { hasObject, ...all } = words.length === 0 ? scopeFocus(scope) : namedFocus(resource, worlds, words, scope);
  if (resource === "policies") return { ...all, hasPath: () => false };
  if (resource === "effective") return { ...all, hasPolicy: () => false };
  return hasObject === undefined ? all : { ...all, hasObject };
}

function namedFocus(resource: Resource, worlds: readonly World[], words: readonly string[], scope: Scope): Focus {
  const targets = worlds.flatMap((one) => {
    const search = findResource(resource, one, words, scope);
    return search.ok ? search.targets : [];
  });
  return targetsFocus(worlds, targets);
}

/** The caveats of a list. */
function caveatsOf(
  resource: Resource,
  source: LoadedSource,
  targets: readonly FoundTarget[] | undefined,
  redaction: Redaction,
): readonly Caveat[] {
  if (resource !== "definitions") return answerCaveats(source, questionAbout(source.world, targets), { redaction });
  // The meaning of a policy kind does not depend on the objects that exist.
  return answerCaveats(source, { about: "Input" }, { redaction }).filter(({ code }) => !code.startsWith("Absent"));
}

function whereWords({ options }: CommandContext): string {
  const namespace = options.has("all-namespaces") ? undefined : options.value("namespace");
  const selector = options.value("selector");
  return `${namespace === undefined ? "" : ` in namespace '${namespace}'`}${selector === undefined ? "" : ` with the labels '${selector}'`}`;
}
