import type { Tally, Verdict } from "../../core/effective/verdicts/verdict.ts";
import type { Plan, PlannedObject, PolicyChange, PolicyShare } from "../../core/explain/plan/result.ts";
import type { Finding, Severity } from "../../core/model/finding.ts";
import {
  formatRef,
  isNamespace,
  kindId,
  type ObjectId,
  type ObjectRef,
  type PolicyId,
  parseObjectId,
} from "../../core/model/refs.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import type { Redaction } from "../args/redaction.ts";
import { listWords } from "../print/format/format-paths.ts";
import { formatPointer } from "../print/format/format-value.ts";
import { formatVerdict } from "../print/format/format-verdict.ts";
import { allPaths, countTargets, countWord } from "../print/print-targets.ts";
import { glued, type Piece, type Style, type Styled, styled } from "../print/terminal/styled-text.ts";
import { printNamespaces } from "./namespaces-text.ts";
import { isHiddenPolicy } from "./redact-plan.ts";
import { summarizePlan } from "./summarize-plan.ts";
import type { PlanSide, PlanTextContext } from "./text-context.ts";
import { printChangedValues } from "./values-text.ts";

/** Prints a plan: the planned objects, the changes of values, policies and findings, the namespaces that they concern, and a summary. */
export function printPlan(plan: Plan, context: PlanTextContext): void {
  const { sides, print } = context;
  printObjects(plan, context);
  for (const kind of plan.kinds) printChangedValues(kind, context);
  printPolicies(plan.policies, context);
  const { added, removed } = plan.findings;
  const isConflict = ({ code }: Finding): boolean => code === "Conflicted";
  printFindings("New conflicts", added.filter(isConflict), sides.after, context);
  printFindings("Resolved conflicts", removed.filter(isConflict), sides.before, context);
  printFindings(
    "New findings",
    added.filter((finding) => !isConflict(finding)),
    sides.after,
    context,
  );
  printFindings(
    "Resolved findings",
    removed.filter((finding) => !isConflict(finding)),
    sides.before,
    context,
  );
  if (plan.kinds.length + plan.policies.length + added.length + removed.length > 0)
    printNamespaces(plan.namespaces, context);
  print.line();
  for (const sentences of summarizePlan(plan, context.caveats)) print.paragraph({}, ...sentences);
}

const SIGNS: Readonly<Record<Exclude<PlannedObject["change"], "same">, Piece>> = {
  created: styled("+", "green"),
  changed: styled("~", "yellow"),
  deleted: styled("-", "red"),
};
const VERBS: Readonly<Record<Exclude<PlannedObject["change"], "same">, string>> = {
  created: "create",
  changed: "change",
  deleted: "delete",
};
const MOST_OBJECTS = 12;

export function printObjects({ objects, stillImplied }: Plan, context: PlanTextContext): void {
  const { print, wide } = context;
  const namespaces = new Set(
    objects.filter(({ ref, change }) => change === "deleted" && isNamespace(ref)).map(({ ref }) => ref.name),
  );
  const isInside = ({ ref }: PlannedObject): boolean => !wide && namespaces.has(ref.namespace);
  const own = objects.filter((object) => object.change !== "same" && !isInside(object));
  const shown = wide ? own : own.slice(0, MOST_OBJECTS);
  for (const { id, change, ref, position } of shown) {
    if (change === "same") continue;
    const at = isHiddenPolicy(id, context.sides, context.redaction) ? undefined : position;
    const suffix = at === undefined ? "" : styled(` (${formatLine(at)})`, "dim");
    const inside = isNamespace(ref)
      ? insideWords(objects.filter((other) => !wide && other.ref.namespace === ref.name))
      : "";
    const verb = context.hasHappened === true ? change : VERBS[change];
    print.paragraph({ hanging: 4 }, SIGNS[change], ` ${verb} `, glued(nameOf(id, context)), suffix, inside);
  }
  if (shown.length < own.length) print.line(`  … and ${own.length - shown.length} more (-o wide lists them all)`);
  const same = objects.filter(({ change }) => change === "same").length;
  if (same > 0)
    print.paragraph(
      {},
      styled(
        `${own.length === 0 ? "" : "  "}${countWord(same, "object")} would stay as ${same === 1 ? "it is" : "they are"}.`,
        "dim",
      ),
    );
  for (const { object, namedBy } of stillImplied) {
    const names = listWords(namedBy.slice(0, 3).map((id) => glued(nameOf(id, context))));
    const more = namedBy.length > 3 ? ` and ${namedBy.length - 3} more` : "";
    print.paragraph(
      { hanging: 2 },
      styled("Note:", "yellow"),
      ` ${names}${more} would still name ${glued(formatRef(object))}. ${stillNamed(object)}`,
    );
  }
}

/** The plan's assumption about an object that others name after its deletion. */
const stillNamed = ({ kind }: ObjectRef): string =>
  kind === "GatewayClass"
    ? "For policy kinds whose definition lists no controllers the plan does not show what happens behind such a Gateway."
    : "An object that is named but not defined is assumed to exist, so the plan does not show what a controller would do.";

const nameOf = (id: ObjectId, { sides, redaction }: PlanTextContext): string =>
  isHiddenPolicy(id, sides, redaction) ? redaction.name(id) : shownName(id, redaction);

function shownName(id: ObjectId, { kindName }: Redaction): string {
  const ref = parseObjectId(id);
  return formatRef({ ...ref, kind: kindName(ref) });
}

function insideWords(inside: readonly PlannedObject[]): string {
  const deleted = inside.filter(({ change }) => change === "deleted");
  return deleted.length === 0 ? "" : ` with what is in it: ${countTargets(deleted.map(({ ref }) => ref))}`;
}

const MOST_POLICIES = 30;

export function printPolicies(policies: readonly PolicyChange[], context: PlanTextContext): void {
  const { print, wide } = context;
  if (policies.length === 0) return;
  print.line();
  print.line(styled("Policies", "bold"));
  const shown = wide ? policies : policies.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, MOST_POLICIES);
  for (const change of policies) if (shown.includes(change)) printPolicy(change, context);
  if (shown.length < policies.length)
    print.line(`  … and ${policies.length - shown.length} more (-o wide lists them all)`);
}

/** Where not all fit: policies that are added, removed or get another verdict come before those that only take effect in more or fewer places. */
function weightOf({ before, after }: PolicyChange): number {
  if (before === undefined || after === undefined || before.state !== after.state) return 2;
  const isSame = before.state !== "Accepted" || after.state !== "Accepted" || before.enforcement === after.enforcement;
  return isSame ? 0 : 1;
}

function printPolicy(change: PolicyChange, context: PlanTextContext): void {
  const { print, sides, redaction } = context;
  const { nowInEffect, noLongerInEffect, after } = change;
  print.paragraph(
    { indent: 2, hanging: 4 },
    glued(redaction.name(change.policy)),
    ": ",
    ...verdictWords(change, sides),
  );
  const layout = { indent: 4, hanging: 2 };
  if (nowInEffect.length > 0) print.paragraph(layout, styled("takes effect:", "green"), ` ${shareWords(nowInEffect)}`);
  if (noLongerInEffect.length > 0)
    print.paragraph(layout, styled("no longer takes effect:", "red"), ` ${shareWords(noLongerInEffect)}`);
  const winners = newWinners(change, redaction);
  if (winners !== "") print.paragraph(layout, styled("is now overridden", "red"), ` by ${winners}`);
  if (after === undefined || after.state === "Accepted" || sameReason(change.before, after)) return;
  const isOpen = after.by.every((winner) => !redaction.isHidden(winner));
  print.paragraph(
    layout,
    isOpen
      ? redaction.inText(after.message, [parseObjectId(change.policy)])
      : `it conflicts with ${listWords(namesOf(after.by, redaction))}`,
  );
}

/** The policies that override it now and did not before. */
function newWinners({ before, after }: PolicyChange, redaction: Redaction): string {
  const winners = (verdict: Verdict | undefined): readonly PolicyId[] =>
    verdict?.state === "Accepted" ? verdict.total.overriddenBy.map(({ policy }) => policy) : [];
  const [old, now] = [winners(before), winners(after)];
  if (now.every((winner) => old.includes(winner))) return "";
  const left = after?.state === "Accepted" ? after.total.overriddenByTotal - now.length : 0;
  const names = namesOf(now, redaction);
  return left > 0 ? `${names.join(", ")} and ${left} more` : listWords(names);
}

/** Redacted policies share one name, which is listed once. */
const namesOf = (policies: readonly PolicyId[], { name }: Redaction): readonly string[] => [
  ...new Set(policies.map((policy) => glued(name(policy)))),
];

const sameReason = (before: Verdict | undefined, after: Verdict): boolean =>
  before?.state === after.state &&
  after.state !== "Accepted" &&
  "message" in before &&
  before.message === after.message;

function verdictWords(change: PolicyChange, sides: PlanTextContext["sides"]): readonly Piece[] {
  const { before, after } = change;
  const was = before === undefined ? undefined : verdictIn(before, change, sides.before);
  const is = after === undefined ? undefined : verdictIn(after, change, sides.after);
  if (is === undefined || after === undefined) return was === undefined ? [] : [was, " → ", styled("removed", "red")];
  if (was === undefined || before === undefined) return [styled("new", "green"), " → ", is, extentWords(after)];
  if (was.text !== is.text) return [was, " → ", is, extentWords(after)];
  const [old, now] = [extentWords(before), extentWords(after)];
  return old === now ? [is, " as before", now] : [is, " as before", now, ` (it was${old.replace(",", "")})`];
}

/** `, fully on 2 and partly on 10 of 12 paths`. */
function extentWords(verdict: Verdict): string {
  if (verdict.state !== "Accepted" || verdict.enforcement === "NoPath") return "";
  const { incomplete, paths } = verdict.total;
  if (verdict.enforcement === "Incomplete" && paths === 0) return "";
  if (verdict.enforcement === "Incomplete") return `, not known on ${allPaths(paths)}`;
  return `${completeExtent(verdict.total)}${incomplete === 0 ? "" : `; not known on ${incomplete}`}`;
}

/** The extent on complete paths. */
function completeExtent({ paths: all, incomplete, full, partial, none, met, idle }: Tally): string {
  const paths = all - incomplete;
  if (full === paths) return `, on ${allPaths(paths)}`;
  if (none === paths) return `, overridden on ${allPaths(paths)}`;
  if (partial === paths) return `, partly on ${allPaths(paths)}`;
  if (met === paths) return `, constraint met on ${allPaths(paths)}`;
  if (idle === paths) return `, nothing to do on ${allPaths(paths)}`;
  const parts = [
    ...(full > 0 ? [`fully on ${full}`] : []),
    ...(partial > 0 ? [`partly on ${partial}`] : []),
    ...(none > 0 ? [`overridden on ${none}`] : []),
    ...(met > 0 ? [`constraint met on ${met}`] : []),
    ...(idle > 0 ? [`nothing to do on ${idle}`] : []),
  ];
  return `, ${listWords(parts)} of ${countWord(paths, "path")}`;
}

function verdictIn(verdict: Verdict, { policyKind }: PolicyChange, { world }: PlanSide): Styled {
  const kind = world.rulebook.byPolicyKind.get(kindId(policyKind));
  return formatVerdict(verdict, kind?.definition ?? { status: { vocabulary: "Enforced" } });
}

const settingWords = (share: PolicyShare): string =>
  "remove" in share ? `remove ${share.remove}` : formatPointer(share.pointer);

const shareWords = (shares: readonly PolicyShare[]): string => {
  const shown = shares.slice(0, 6).map((share) => `${settingWords(share)} on ${countWord(share.paths, "path")}`);
  return shares.length > 6 ? `${shown.join(", ")} and ${shares.length - 6} more` : listWords(shown);
};

const SEVERITIES: Readonly<Record<Severity, Style>> = { error: "red", warning: "yellow", info: "dim" };
const MOST_FINDINGS = 20;

export function printFindings(
  title: string,
  found: readonly Finding[],
  { locate }: PlanSide,
  context: PlanTextContext,
): void {
  const { print, wide, redaction } = context;
  if (found.length === 0) return;
  print.line();
  print.line(styled(title, "bold"));
  const sorted = found.toSorted((a, b) => Number(b.severity === "error") - Number(a.severity === "error"));
  const shown = wide ? sorted : sorted.slice(0, MOST_FINDINGS);
  for (const { severity, code, object, field, message, source } of shown) {
    const pointer = field === undefined ? undefined : fieldPointer(field);
    const at = (object === undefined ? undefined : locate(object, pointer)) ?? source;
    const name = object === undefined ? "" : shownName(object, redaction);
    const text = redaction.inText(message, object === undefined ? [] : [parseObjectId(object)]);
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled(severity, SEVERITIES[severity]),
      ` ${code}: ${text.includes(name) ? "" : `${glued(name)}: `}${text}`,
      at === undefined ? "" : styled(` (${formatLine(at)})`, "dim"),
    );
  }
  if (shown.length < found.length) print.line(`  … and ${found.length - shown.length} more (-o wide lists them all)`);
}
