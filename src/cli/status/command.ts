import type { World } from "../../core/effective/world/world.ts";
import { gatewayStatuses } from "../../core/gateway-status/gateway-statuses.ts";
import { joinStatuses } from "../../core/gateway-status/join-statuses.ts";
import { PARAMETER_RIGHTS } from "../../core/infrastructure/gateway-parameters.ts";
import { formatRef, type ObjectId, type PolicyId } from "../../core/model/refs.ts";
import type { PolicyStatus, TargetStatus } from "../../core/status/status-report.ts";
import { statusReportOf } from "../../core/status/status-report-of.ts";
import { controllerNameOption, parseControllerName } from "../args/controller-name.ts";
import { redactionFor, redactOption } from "../args/redaction.ts";
import { parseVisibleScope, type VisibleScope } from "../args/visible-scope.ts";
import { answerCaveats, questionAbout } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats, qualification } from "../caveats/text.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printList } from "../print/data/print-list.ts";
import { redactConditions } from "../print/redact/redact-conditions.ts";
import { type FoundTarget, findTargets, isListed } from "../target/find-targets.ts";
import { statusItems } from "./json.ts";
import { printStatus } from "./text.ts";

export const command: Command = {
  usage: ["[POLICY… | TARGET…] [-f FILE|DIR|-]"],
  description: [
    "The status that a controller of this name would write, computed from the objects: for each policy its ancestors (Gateways, mostly) with the conditions Accepted and Enforced; for each object that a policy takes effect on the conditions such as prevail.dev/RetryPolicyAffected; and, for GatewayClasses that name the controller, their Gateways, ListenerSets and routes, the conditions of Gateway API: Accepted, ResolvedRefs, Conflicted and the others. Programmed is Unknown, because no data plane is asked.",
    "-o json and -o yaml print the objects with the parts of their status that are computed, without times. Objects without such a part are not in the list. The status that is in the files is not read; 'check' compares it with this one.",
  ],
  options: [controllerNameOption, redactOption],
  takes: ["scope", "source", "definitions", "cluster"],
  outputs: ["yaml", "json"],
  examples: [
    {
      what: "The status of every policy, Gateway and route, and of every other object that a policy affects",
      line: "status -f examples/bakery",
    },
    { what: "The status of one policy", line: "status retrypolicy/friday-fix -f examples/bakery" },
    { what: "The conditions of a route, as YAML", line: "status httproute/baker -o yaml -f examples/bakery" },
    {
      what: "As another controller would write it",
      line: "status -n shop --controller-name example.com/gateway -f examples/bakery",
    },
  ],
  run: async (context) => {
    const { args, options, output, load, fail, note, print } = context;
    const parsed = parseVisibleScope(options);
    if (!parsed.ok) return fail(parsed.message);
    const controller = parseControllerName(options);
    if (!controller.ok) return fail(controller.message);
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const { world } = source;
    const search = args.length === 0 ? undefined : findTargets(world, args, parsed.view.scope);
    if (search !== undefined && !search.ok) return fail(search.message, ...search.hints);
    const found = selected(world, controller.controllerName, search?.targets, parsed.view);
    const redaction = redactionFor(parsed.view.redaction, world);
    const shown = redactConditions(world, redaction);
    const caveats = answerCaveats(source, questionAbout(world, search?.targets), { redaction });
    if (output === "json" || output === "yaml") {
      const items = statusItems(world, found.policies, found.targets, shown);
      printList(print, output, { kind: "StatusList", items, caveats });
    } else {
      printStatus(found.policies, found.targets, { print, source, shown, names: redaction });
    }
    for (const line of found.notes) note(`${line}${qualification(caveats)}`);
    if (output !== "json" && output !== "yaml") printCaveats(caveats, print);
    return exitCodeWith(caveats, options, exitCodes.ok);
  },
};

interface Selected {
  readonly policies: readonly PolicyStatus[];
  readonly targets: readonly TargetStatus[];
  /** Notes about objects without such a status, and about hidden ones. */
  readonly notes: readonly string[];
}

/** `named`: the objects that the arguments name; undefined: all in scope. */
function selected(
  world: World,
  controllerName: string,
  named: readonly FoundTarget[] | undefined,
  { scope, redaction }: VisibleScope,
): Selected {
  const report = statusReportOf(world, { controllerName });
  const all = joinStatuses(gatewayStatuses(world, { controllerName, parameters: PARAMETER_RIGHTS }), report.targets);
  const isWanted = (id: ObjectId): boolean => {
    if (named !== undefined) return named.some((one) => one.id === id);
    const object = world.objects.get(id);
    return object !== undefined && isListed(object, scope);
  };
  const isWantedLocation = ({ object, location }: TargetStatus): boolean => {
    const sections = named?.filter(({ id }) => id === object).map(({ sectionName }) => sectionName) ?? [undefined];
    // Only listeners have a status of their own; the status of a rule or port is that of its object.
    const listeners = all.flatMap((one) =>
      one.object === object && one.location.at === "Listener" ? [one.location.name] : [],
    );
    return sections.some((section) => {
      if (section === undefined || !listeners.includes(section)) return true;
      return location.at === "Listener" && location.name === section;
    });
  };
  const wanted = report.policies.filter(({ policy }) => isWanted(policy));
  const policies = wanted.filter(({ policy }) => !redaction.isHidden(policy));
  const targets = all.filter((one) => isWanted(one.object) && isWantedLocation(one));
  const hidden = wanted.length - policies.length;
  const known = new Set<ObjectId>([...wanted.map(({ policy }) => policy), ...targets.map(({ object }) => object)]);
  const silent = (named ?? []).filter(({ id }) => !known.has(id));
  return {
    policies,
    targets,
    notes: [
      ...silent.map(
        ({ ref, sectionName, id }) => `${formatRef(ref, sectionName)}: ${whySilent(world, id as PolicyId)}`,
      ),
      ...(named === undefined && known.size === 0
        ? ["no policy, no object that a policy takes effect on, and no Gateway of the controller is in scope"]
        : []),
      ...(hidden > 0 ? [`${hidden} policies outside the namespace are hidden`] : []),
    ],
  };
}

const whySilent = (world: World, id: PolicyId): string =>
  world.objects.has(id)
    ? "no policy of a known kind takes effect on it, and it is neither a Gateway of the controller nor attached to one, so this controller writes nothing into it"
    : "no document defines it, so it has no status here";
