import type {
  Explanation,
  IneffectivePolicy,
  KindExplanation,
  PathOutcome,
  ReportedCondition,
} from "../../core/explain/explain/result.ts";
import { sectionPointer } from "../../core/explain/value-pointer.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { displayRef, objectId, parseObjectId } from "../../core/model/refs.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { listWords, showNode, showPath, showPathsTogether } from "../print/format-paths.ts";
import { showLine } from "../print/format-position.ts";
import { styled } from "../print/styled-text.ts";
import type { Telling } from "../print/text-context.ts";
import { tellPolicyParts } from "./policies-text.ts";
import { tellValues } from "./values-text.ts";

/** An explanation as a story: where the object stands, then kind by kind what holds and why, then what went wrong. */
export function tellExplanation(explanation: Explanation, telling: Telling): void {
  const { print } = telling;
  tellTarget(explanation, telling);
  if (explanation.kinds.length === 0) {
    print.line();
    const why = explanation.refusals.length > 0 ? ": it hangs nowhere, for the reasons below" : "";
    print.paragraph({}, `No policy applies to ${showNode(explanation.target)}${why}.`);
  }
  for (const kind of explanation.kinds) tellKind(kind, telling);
  tellRefusals(explanation, telling);
  tellFailures(explanation.failures, telling);
  tellConditions(explanation.conditions, telling);
}

function tellTarget({ target, absentParents, kinds }: Explanation, { print, source }: Telling): void {
  const object = explainedObject(source, target);
  const section =
    target.sectionName === undefined ? undefined : sectionPointer(source.world, objectId(target), target.sectionName);
  const position = source.locate(objectId(target), section?.pointer);
  const place = position === undefined ? "" : ` (${showLine(position)})`;
  print.paragraph({ hanging: 2 }, styled(capital(showNode(target)), "bold"), styled(place, "dim"));
  if (object === undefined) print.paragraph({ indent: 2 }, "It is named by others, but no document defines it.");
  if (absentParents.length > 0) {
    const parents = listWords(absentParents.map((ref) => displayRef(ref)));
    const what = kinds.some(({ outcomes }) => outcomes.some(({ paths }) => paths.some((path) => path.incomplete)))
      ? "What follows is what is known without it."
      : "What it would bring is not known.";
    print.paragraph(
      { indent: 2 },
      styled("Incomplete:", "yellow"),
      ` ${parents} is named as a parent and is not in ${source.origin}. ${what} Add its file with -f.`,
    );
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const explainedObject = ({ world }: LoadedSource, target: Explanation["target"]): KubeObject | undefined =>
  world.objects.get(objectId(target));

export function tellKind({ policyKind, paths, outcomes }: KindExplanation, telling: Telling): void {
  const { print } = telling;
  const all = outcomes.flatMap((outcome) => outcome.paths);
  print.line();
  print.paragraph({}, styled(policyKind.kind, "bold"), summary(outcomes, paths));
  print.paragraph({ indent: 2, hanging: 2 }, styled(showPathsTogether(all), "dim"));
  print.line();
  tellPolicyParts(outcomes, telling);
  print.line();
  if (!telling.allPaths || outcomes.length === 1) {
    tellValues(outcomes, policyKind, telling);
    return;
  }
  outcomes.forEach((outcome, index) => {
    if (index > 0) print.line();
    for (const path of outcome.paths)
      print.paragraph({ indent: 2, hanging: 2 }, styled(`On ${showPath(path)}`, "cyan"));
    tellValues([outcome], policyKind, telling);
  });
}

function summary(outcomes: readonly PathOutcome[], paths: number): string {
  const policies = new Set(outcomes.flatMap((outcome) => outcome.policies.map(({ policy }) => policy))).size;
  const meet = policies === 1 ? "one policy" : `${policies} policies meet`;
  if (paths === 1) return `: ${meet} on the only path.`;
  const [first] = outcomes;
  if (outcomes.length === 1 && first !== undefined) return `: ${meet} on ${paths} paths, all with the same outcome.`;
  return `: ${meet} on ${paths} paths, which have ${outcomes.length} different outcomes.`;
}

function tellRefusals({ refusals, target }: Explanation, { print, source }: Telling): void {
  if (refusals.length === 0) return;
  print.line();
  print.line(styled("Links that it asks for and does not get", "bold"));
  const object = explainedObject(source, target);
  for (const { field, reason } of refusals) {
    const place = object === undefined ? undefined : source.locate(object.id, fieldPointer(field));
    const where = place === undefined ? field : `${field}, ${showLine(place)}`;
    print.paragraph({ indent: 2, hanging: 2 }, `${reason} `, styled(`(${where})`, "dim"));
  }
}

function tellFailures(failures: readonly IneffectivePolicy[], { print, source, redaction }: Telling): void {
  const seen = failures.filter(({ policy }) => !redaction.isHidden(policy));
  if (seen.length === 0) return;
  print.line();
  print.line(styled("Policies that aim at it without effect", "bold"));
  for (const { policy, field, message, reason } of seen) {
    const place = source.locate(policy, field === undefined ? undefined : fieldPointer(field));
    const where = place === undefined ? "" : ` (${showLine(place)})`;
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled(displayRef(parseObjectId(policy)), "yellow"),
      styled(where, "dim"),
      `: ${reason}: ${message}`,
    );
  }
}

function tellConditions(conditions: readonly ReportedCondition[], { print }: Telling): void {
  if (conditions.length === 0) return;
  print.line();
  print.line(styled("Its conditions, as found", "bold"));
  const holders = new Map<string, ReportedCondition[]>();
  for (const condition of conditions) {
    const { parent, controllerName, sectionName } = condition;
    const holder = [
      ...(parent === undefined ? [] : [displayRef(parent, parent.sectionName)]),
      ...(sectionName === undefined ? [] : [`listener ${sectionName}`]),
      ...(controllerName === undefined ? [] : [`by ${controllerName}`]),
    ].join(", ");
    holders.set(holder, [...(holders.get(holder) ?? []), condition]);
  }
  for (const [holder, own] of holders) {
    if (holder !== "") print.line(`  ${holder}`);
    for (const { type, status, reason, message } of own) {
      const fine = status === "True";
      const why = [reason === type ? "" : reason, message].filter((text) => text !== "").join(": ");
      print.paragraph(
        { indent: holder === "" ? 2 : 4, hanging: 2 },
        styled(`${type}=${status}`, fine ? "green" : "yellow"),
        why === "" ? "" : ` (${why})`,
      );
    }
  }
}
