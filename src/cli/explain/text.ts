import { groupByGoverned, sourcesOf } from "../../core/explain/explain/group-by-governed.ts";
import type {
  ExplainedPath,
  Explanation,
  IneffectivePolicy,
  KindExplanation,
  PathOutcome,
  ReportedCondition,
} from "../../core/explain/explain/result.ts";
import { sectionPointer } from "../../core/explain/value-pointer.ts";
import type { Source } from "../../core/merge/provenance.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { formatRef, type GroupKind, kindId, objectId, parseObjectId } from "../../core/model/refs.ts";
import { capital } from "../../core/model/words/capital.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import type { Governs } from "../../core/model/words/governs-words.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { qualification } from "../caveats/text.ts";
import { formatNode, formatPath, formatPathsTogether, listWords } from "../print/format/format-paths.ts";
import { styled } from "../print/terminal/styled-text.ts";
import type { TextContext } from "../print/text-context.ts";
import { printConnections } from "./connections-text.ts";
import { printPolicyParts } from "./policies-text.ts";
import { printValues } from "./values-text.ts";

/** Prints an explanation: the object, then for each policy kind the effective values and why, then refused references and failed policies. */
export function printExplanation(explanation: Explanation, context: TextContext): void {
  const { print, caveats } = context;
  printTarget(explanation, context);
  if (explanation.kinds.every(isOwnOnly)) {
    printConnections(explanation, context);
    print.line();
    const isUnattached = explanation.refusals.length > 0 && explanation.connections.attachedTo.length === 0;
    const why = isUnattached ? ": it is not attached to any parent, for the reasons below" : "";
    const no = caveats.length === 0 ? "No policy" : "No known policy";
    print.paragraph({}, `${no} takes effect on ${formatNode(explanation.target)}${why}${qualification(caveats)}.`);
  }
  printKinds(explanation.kinds, context);
  printRefusals(explanation, context);
  printProblems(explanation, context);
  printAllFailures(explanation, context);
  printConditions(explanation.conditions, context);
}

function printAllFailures({ failures }: Explanation, context: TextContext): void {
  for (const title of [UNDEFINED_TITLE, UNENFORCED_TITLE, INEFFECTIVE_TITLE])
    printFailures(
      title,
      failures.filter(({ reason }) => titleOfFailure(reason) === title),
      context,
    );
}

const UNDEFINED_TITLE = "Policies of which it is not defined which takes effect";
/** Such a policy may take effect behind other Gateways, and it may target a route below the object. */
const UNENFORCED_TITLE = "Policies that no controller enforces behind some Gateways";
const INEFFECTIVE_TITLE = "Policies without effect that name it";

const titleOfFailure = (reason: IneffectivePolicy["reason"]): string =>
  reason === "Undefined" ? UNDEFINED_TITLE : reason === "NoController" ? UNENFORCED_TITLE : INEFFECTIVE_TITLE;

function printTarget({ target, absentParents }: Explanation, { print, source }: TextContext): void {
  const object = explainedObject(source, target);
  const section =
    target.sectionName === undefined ? undefined : sectionPointer(source.world, objectId(target), target.sectionName);
  const position = source.locate(objectId(target), section?.pointer);
  const suffix = position === undefined ? "" : ` (${formatLine(position)})`;
  print.paragraph({ hanging: 2 }, styled(capital(formatNode(target)), "bold"), styled(suffix, "dim"));
  if (object === undefined) print.paragraph({ indent: 2 }, "Other objects name it, but no document defines it.");
  if (absentParents.length > 0) {
    const parents = listWords(absentParents.map((ref) => formatRef(ref)));
    print.paragraph(
      { indent: 2 },
      styled("Incomplete:", "yellow"),
      ` ${parents} ${absentParents.length === 1 ? "is" : "are"} not in ${source.origin}; see the caveats.`,
    );
  }
}

const explainedObject = ({ world }: LoadedSource, target: Explanation["target"]): KubeObject | undefined =>
  world.objects.get(objectId(target));

/** True if no policy is on the paths: objects set the values themselves. */
export const isOwnOnly = ({ outcomes }: KindExplanation): boolean =>
  outcomes.every(({ policies }) => policies.length === 0);

/** Prints the kinds by what they govern, with titles. Without groups the order is that of the answer. */
function printKinds(kinds: readonly KindExplanation[], context: TextContext): void {
  const groups = groupByGoverned(context.source.world, kinds);
  if (groups === undefined) {
    for (const kind of kinds) printKind(kind, context);
    return;
  }
  for (const { governs, kinds: members } of groups) {
    context.print.line();
    context.print.line(styled(titleOf(governs), "cyan"));
    for (const { kind, includes, first } of members) {
      if (first === undefined) printKind(kind, context, includes);
      else printRestOfKind(kind, first, includes, context);
    }
  }
}

const titleOf = (governs: Governs | undefined): string => (governs === undefined ? "Other" : TITLES[governs]);

const TITLES: Readonly<Record<Governs, string>> = {
  Gateways: "The gateway itself",
  Clients: "Connections of clients",
  Security: "Authentication, authorization and protection",
  RateLimits: "Rate limits",
  Traffic: "Requests and responses",
  Retries: "Retries and timeouts",
  Extensions: "Extensions and plugins",
  LoadBalancing: "Load balancing",
  Backends: "Connections to backends",
  BackendTLS: "TLS to backends",
  Telemetry: "Logs, metrics and traces",
};

/** Prints a kind: the paths, the policies on them, and the values that `includes` names, all of them if it is left out. */
export function printKind(kind: KindExplanation, context: TextContext, includes?: (source: Source) => boolean): void {
  const { policyKind, paths, outcomes } = kind;
  const { print } = context;
  const all = outcomes.flatMap((outcome) => outcome.paths);
  print.line();
  print.paragraph(
    {},
    styled(context.redaction.kindName(policyKind), "bold"),
    summary(outcomes, paths),
    orderWords(outcomes),
  );
  print.paragraph({ indent: 2, hanging: 2 }, styled(formatPathsTogether(all), "dim"));
  if (isUndefinedOn(policyKind, all, context))
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled("Not known:", "yellow"),
      " it is not defined which of several policies on one target takes effect, and it may override or replace these values.",
    );
  print.line();
  if (policyCount(outcomes) > 0) {
    printPolicyParts(outcomes, context);
    print.line();
  }
  printKindValues(kind, context, includes);
}

/** Prints those values of a kind that an earlier group does not have. */
function printRestOfKind(
  kind: KindExplanation,
  first: Governs,
  includes: (source: Source) => boolean,
  context: TextContext,
): void {
  const { print, redaction } = context;
  print.line();
  const name = styled(redaction.kindName(kind.policyKind), "bold");
  print.paragraph({}, name, `: paths and policies as above, under ${TITLES[first]}.`);
  print.line();
  printKindValues(kind, context, includes);
}

function printKindValues(
  { policyKind, outcomes }: KindExplanation,
  context: TextContext,
  includes?: (source: Source) => boolean,
): void {
  const { print } = context;
  if (!context.allPaths || outcomes.length === 1) {
    printValues(outcomes, policyKind, context, includes);
    return;
  }
  const shown = outcomes.filter((outcome) => includes === undefined || sourcesOf(outcome).some(includes));
  shown.forEach((outcome, index) => {
    if (index > 0) print.line();
    for (const path of outcome.paths)
      print.paragraph({ indent: 2, hanging: 2 }, styled(`On ${formatPath(path)}`, "cyan"));
    printValues([outcome], policyKind, context, includes);
  });
}

/** True if what takes effect on a path is not known, in a kind in which it may not be defined which policy does. */
const isUndefinedOn = (kind: GroupKind, paths: readonly ExplainedPath[], { source }: TextContext): boolean =>
  source.world.rulebook.byPolicyKind.get(kindId(kind))?.definition.merge.sameTarget === "Undefined" &&
  paths.some(({ incomplete }) => incomplete === true);

const policyCount = (outcomes: readonly PathOutcome[]): number =>
  new Set(outcomes.flatMap((outcome) => outcome.policies.map(({ policy }) => policy))).size;

/** In kinds in which all policies take effect, the policies are listed in the order of evaluation. */
function orderWords(outcomes: readonly PathOutcome[]): string {
  if (outcomes.every(({ order }) => order === undefined)) return "";
  return policyCount(outcomes) === 1 ? "" : " All of them take effect, in this order:";
}

function summary(outcomes: readonly PathOutcome[], paths: number): string {
  const policies = policyCount(outcomes);
  if (policies === 0) return ": no policy; the object's own values take effect.";
  const count = policies === 1 ? "1 policy" : `${policies} policies`;
  if (paths === 1) return `: ${count} on the only path.`;
  const [first] = outcomes;
  if (outcomes.length === 1 && first !== undefined) return `: ${count} on ${paths} paths, all with the same result.`;
  return `: ${count} on ${paths} paths, with ${outcomes.length} different results.`;
}

function printRefusals({ refusals, target }: Explanation, { print, source }: TextContext): void {
  if (refusals.length === 0) return;
  print.line();
  print.line(styled("Refused references", "bold"));
  const object = explainedObject(source, target);
  for (const { field, reason } of refusals) {
    const position = object === undefined ? undefined : source.locate(object.id, fieldPointer(field));
    const where = position === undefined ? field : `${field}, ${formatLine(position)}`;
    print.paragraph({ indent: 2, hanging: 2 }, `${reason} `, styled(`(${where})`, "dim"));
  }
}

function printProblems({ problems, target }: Explanation, { print, source }: TextContext): void {
  if (problems.length === 0) return;
  print.line();
  print.line(styled("Problems", "bold"));
  const object = explainedObject(source, target);
  for (const { field, reason, message } of problems) {
    const position = object === undefined ? undefined : source.locate(object.id, fieldPointer(field));
    const where = position === undefined ? field : `${field}, ${formatLine(position)}`;
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled(`${reason}:`, "red"),
      ` ${message} `,
      styled(`(${where})`, "dim"),
    );
  }
}

/** Prints policies without effect, each with the reason, below a title. */
export function printFailures(
  title: string,
  failures: readonly IneffectivePolicy[],
  { print, source, redaction }: TextContext,
): void {
  const seen = failures.filter(({ policy }) => !redaction.isHidden(policy));
  if (seen.length === 0) return;
  print.line();
  print.line(styled(title, "bold"));
  for (const { policy, field, message, reason } of seen) {
    const position = source.locate(policy, field === undefined ? undefined : fieldPointer(field));
    const where = position === undefined ? "" : ` (${formatLine(position)})`;
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled(redaction.name(policy), "yellow"),
      styled(where, "dim"),
      `: ${reason}: ${redaction.inText(message, [parseObjectId(policy)])}`,
    );
  }
}

function printConditions(conditions: readonly ReportedCondition[], { print }: TextContext): void {
  if (conditions.length === 0) return;
  print.line();
  print.line(styled("Conditions in its status", "bold"));
  const groups = new Map<string, ReportedCondition[]>();
  for (const condition of conditions) {
    const { parent, controllerName, sectionName } = condition;
    const group = [
      ...(parent === undefined ? [] : [formatRef(parent, parent.sectionName)]),
      ...(sectionName === undefined ? [] : [`listener ${sectionName}`]),
      ...(controllerName === undefined ? [] : [`by ${controllerName}`]),
    ].join(", ");
    groups.set(group, [...(groups.get(group) ?? []), condition]);
  }
  for (const [group, own] of groups) {
    if (group !== "") print.line(`  ${group}`);
    for (const { type, status, reason, message } of own) {
      const fine = status === "True";
      const why = [reason === type ? "" : reason, message].filter((text) => text !== "").join(": ");
      print.paragraph(
        { indent: group === "" ? 2 : 4, hanging: 2 },
        styled(`${type}=${status}`, fine ? "green" : "yellow"),
        why === "" ? "" : ` (${why})`,
      );
    }
  }
}
