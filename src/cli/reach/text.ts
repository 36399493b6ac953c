import type { PathNode } from "../../core/effective/paths/path-node.ts";
import { formatUnenforced } from "../../core/effective/verdicts/format-unenforced.ts";
import type { Verdict } from "../../core/effective/verdicts/verdict.ts";
import type { MissingLink, Reach, ReachedPath, ReachedTarget, ReachTarget } from "../../core/explain/reach/result.ts";
import { formatRef, type GroupKind, kindId, objectId, parseObjectId } from "../../core/model/refs.ts";
import { formatTraffic } from "../../core/model/traffic.ts";
import { capital } from "../../core/model/words/capital.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import { formatNode, formatPath, listWords } from "../print/format/format-paths.ts";
import { formatVerdict } from "../print/format/format-verdict.ts";
import { countTargets, countWord, inPathOrder, printTargets } from "../print/print-targets.ts";
import { glued, type Piece, styled } from "../print/terminal/styled-text.ts";
import type { TextContext } from "../print/text-context.ts";
import { printReachedValues } from "./values-text.ts";

/** Prints a reach: the verdict, the declared targets, counts, then each value and where it takes effect. */
export function printReach(reach: Reach, rule: string | undefined, context: TextContext): void {
  const { print, source, redaction } = context;
  const at = source.locate(reach.policy);
  const suffix = at === undefined ? "" : styled(` (${formatLine(at)})`, "dim");
  print.paragraph({ hanging: 2 }, styled(redaction.name(reach.policy), "bold"), suffix);
  printVerdict(reach, rule, context);
  printUnenforced(reach, context);
  printDeclaredTargets(reach, context);
  if (reach.paths.length === 0) return;
  printCounts(reach, context);
  printAbsent(reach, context);
  printReachedValues(reach, context);
  printNodes(reach, context);
  if (context.wide) printPaths(reach, context);
}

const NO_KNOWN_TARGET =
  "no target of the policy is known: it is not in the input, or of a kind that is left to implementations";
const NO_KNOWN_PATH = "no path of the policy is in the input, so where it takes effect is not known";

const unknownReason = ({ reason, message }: Extract<Verdict, { readonly state: "Unknown" }>): string =>
  reason === "Undefined" ? message : NO_KNOWN_TARGET;

function printVerdict(reach: Reach, rule: string | undefined, { print, source, redaction }: TextContext): void {
  const { verdict, paths, values, removals, targets, policyKind } = reach;
  const named = (message: string): string => redaction.inText(message, [policyKind]);
  const kind = source.world.rulebook.byPolicyKind.get(kindId(policyKind));
  const { text, style } = formatVerdict(verdict, kind?.definition ?? { status: { vocabulary: "Enforced" } });
  const layout = { indent: 2, hanging: 2 };
  if (verdict.state === "Unknown" || (paths.length === 0 && text === "Incomplete")) {
    const why = verdict.state !== "Unknown" ? NO_KNOWN_PATH : named(unknownReason(verdict));
    print.paragraph(layout, styled(`${text}:`, style), ` ${why}.`);
    return;
  }
  if (verdict.state === "NotAccepted") {
    // The reason of each target is printed with the target.
    const why = targets.length === 0 ? `${named(verdict.message)}. The policy` : "the policy";
    if (paths.length > 0) {
      const kept = "The policy keeps its targets, and what needs it fails.";
      print.paragraph(layout, styled(`Not accepted, ${text}:`, style), ` ${named(verdict.message)}. ${kept}`);
      return;
    }
    print.paragraph(layout, styled(`Not accepted, ${text}:`, style), ` ${why} reaches nothing.`);
    return;
  }
  const isNowhere = verdict.enforcement === "NoPath";
  const what = isNowhere
    ? "the policy is accepted and reaches nothing"
    : knownEffect(paths, values.length + removals.length, verdict.enforcement === "Incomplete");
  if (rule === undefined || isNowhere) {
    print.paragraph(layout, styled(`${text}:`, style), ` ${what}.`);
    return;
  }
  print.paragraph(layout, styled(`${text}:`, style), " the policy as a whole.");
  print.paragraph(layout, styled(`Rule ${rule}:`, "bold"), ` ${what}.`);
}

/** On an incomplete path a policy that is not known may override any value. */
function knownEffect(paths: readonly ReachedPath[], values: number, isUnknown: boolean): string {
  const incomplete = paths.filter((path) => path.incomplete === true).length;
  const effect = effectWords(paths, values);
  if (incomplete === 0)
    return isUnknown ? `${effect}, if the references of the policy are valid, which is not known` : effect;
  return `as far as is known, ${effect}; ${incomplete === paths.length ? "every path is" : countWord(incomplete, "path") + (incomplete === 1 ? " is" : " are")} incomplete`;
}

function printUnenforced({ unenforced, policyKind }: Reach, { print, source, redaction }: TextContext): void {
  const kind = source.world.rulebook.byPolicyKind.get(kindId(policyKind));
  if (unenforced.length === 0 || kind === undefined) return;
  const gateways = new Map(unenforced.map(({ gateway, controller }) => [gateway, controller]));
  print.paragraph(
    { indent: 2, hanging: 2 },
    `${capital(redaction.inText(formatUnenforced(kind.definition, gateways), [policyKind]))}.`,
  );
}

/** `of its 13 paths, all values take effect on 4, some on 6, none on 3`. */
function effectWords(paths: readonly ReachedPath[], values: number): string {
  const count = (effect: ReachedPath["effect"]): number => paths.filter((path) => path.effect === effect).length;
  const [full, partial, none, met] = [count("full"), count("partial"), count("none"), count("met")];
  const idle = count("idle");
  const total = paths.length;
  const onAll = `on ${total === 1 ? "its only path" : total === 2 ? "both of its paths" : `all ${total} of its paths`}`;
  if (values === 0) return `the policy has no values, ${onAll}`;
  if (full === total) return `${values === 1 ? "its value takes" : "all values take"} effect ${onAll}`;
  if (partial === total) return `some values take effect ${onAll}`;
  if (none === total) return `no value takes effect ${onAll}`;
  if (met === total) return `its condition is false ${onAll}`;
  if (idle === total) return `there is nothing to remove ${onAll}`;
  const parts = [
    ...(full > 0 ? [`${values === 1 ? "its value takes" : "all values take"} effect on ${full}`] : []),
    ...(partial > 0 ? [`some ${full > 0 ? "" : "values take effect "}on ${partial}`] : []),
    ...(none > 0
      ? [full + partial > 0 ? `${values === 1 ? "not" : "none"} on ${none}` : `no value takes effect on ${none}`]
      : []),
    ...(met > 0 ? [`its condition is false on ${met}`] : []),
    ...(idle > 0 ? [`nothing to remove on ${idle}`] : []),
  ];
  return `of its ${countWord(total, "path")}, ${parts.join(", ")}`;
}

const MOST_TARGETS = 10;

/** Targets with paths are counted if they are many; targets without a path are always named. */
function printDeclaredTargets({ targets, paths, policy, policyKind }: Reach, context: TextContext): void {
  const { print, wide } = context;
  const isFine = (target: ReachTarget): boolean => target.state === "attached" && target.paths > 0;
  const fine = targets.filter(isFine);
  const isCounted = !wide && fine.length > MOST_TARGETS;
  if (isCounted) {
    const nodes = fine.flatMap((target) => (target.state === "refused" ? [] : [target.node]));
    print.paragraph({ indent: 2, hanging: 2 }, `On ${countTargets(nodes)}: ${countWord(paths.length, "path")}`);
  }
  const named = isCounted ? targets.filter((target) => !isFine(target)) : targets;
  const shown = wide ? named : named.slice(0, MOST_TARGETS + 1);
  for (const target of shown) printTarget(target, policy, policyKind, context);
  if (shown.length < named.length)
    print.line(`  … and ${named.length - shown.length} more targets (-o wide lists them all)`);
}

function printTarget(
  target: ReachTarget,
  policy: Reach["policy"],
  kind: GroupKind,
  { print, source, redaction }: TextContext,
): void {
  const layout = { indent: 2, hanging: 2 };
  const unenforced = source.world.findUnenforced().get(policy)?.targets;
  const isForeign = target.state !== "refused" && unenforced?.has(objectId(target.node)) === true;
  switch (target.state) {
    case "attached":
      print.paragraph(
        layout,
        `On ${formatNode(target.node)}`,
        ...aboutTarget(target, redaction.kindName(kind), isForeign),
      );
      for (const gap of target.gaps) print.paragraph({ indent: 4, hanging: 2 }, ...formatGap(gap, source));
      return;
    case "conflicted":
      // The message names the other policy.
      if (redaction.isHidden(target.by))
        print.paragraph(
          layout,
          styled("Conflicted:", "red"),
          ` ${formatNode(target.node)} already has ${redaction.name(target.by)}`,
        );
      else print.paragraph(layout, styled("Conflicted:", "red"), ` ${redaction.inText(target.message, [kind])}`);
      return;
    case "refused": {
      const at = source.locate(policy, fieldPointer(target.field));
      const where = at === undefined ? target.field : `${target.field}, ${formatLine(at)}`;
      print.paragraph(
        layout,
        styled("Refused:", "red"),
        ` ${redaction.inText(target.message, [kind])} `,
        styled(`(${where})`, "dim"),
      );
    }
  }
}

/** `isForeign`: the paths through the target are behind Gateways whose controllers do not carry the policy out. */
function aboutTarget(
  { paths, gaps, consumer }: Extract<ReachTarget, { readonly state: "attached" }>,
  kind: string,
  isForeign: boolean,
): readonly Piece[] {
  const traffic = consumer === undefined ? "" : `, for traffic from ${formatTraffic(consumer)}`;
  if (paths > 0) return [`${traffic}: ${countWord(paths, "path")}`];
  if (isForeign)
    return [`${traffic}: `, styled("no path:", "yellow"), " the Gateways on its paths belong to other controllers"];
  const why =
    gaps.length === 0
      ? `nothing that a ${kind} takes effect on is attached below it`
      : "nothing is attached below it, because";
  return [`${traffic}: `, styled("no path:", "yellow"), ` ${why}`];
}

function formatGap({ object, field, reason }: MissingLink, source: TextContext["source"]): readonly Piece[] {
  const at = source.locate(object, fieldPointer(field));
  const where = at === undefined ? field : `${field}, ${formatLine(at)}`;
  return [`${glued(formatRef(parseObjectId(object)))}: ${reason} `, styled(`(${where})`, "dim")];
}

/** The nodes to print. A Namespace is a level of the hierarchy that no traffic passes, so it is printed only if it is targeted. */
function shownNodes({ reachedNodes, targets, paths }: Reach): readonly ReachedTarget[] {
  const targeted = new Set(targets.flatMap((one) => (one.state === "refused" ? [] : [objectId(one.node)])));
  const shown = reachedNodes.filter(
    ({ node }) => node.kind !== "Namespace" || node.group !== "" || targeted.has(objectId(node)),
  );
  return inPathOrder(shown, paths);
}

function printCounts(reach: Reach, { print }: TextContext): void {
  const shown = shownNodes(reach);
  const reached = shown.filter(({ isBelow }) => isBelow);
  const nodes = (some: readonly ReachedTarget[]): readonly PathNode[] => some.map(({ node }) => node);
  const affected = reached.filter(({ inEffect }) => inEffect > 0);
  const others = reached.filter(({ inEffect }) => inEffect === 0);
  print.line();
  if (affected.length > 0) print.paragraph({}, `It takes effect on ${countTargets(nodes(affected))}.`);
  if (others.length > 0) print.paragraph({}, `It reaches ${countTargets(nodes(others))} without effect.`);
  const through = shown.filter(({ isBelow }) => !isBelow);
  if (through.length > 0) print.paragraph({}, `Traffic arrives through ${countTargets(nodes(through))}.`);
}

function printAbsent({ absentParents }: Reach, { print, source }: TextContext): void {
  if (absentParents.length === 0) return;
  const parents = listWords(absentParents.map((ref) => glued(formatRef(ref))));
  print.paragraph(
    {},
    styled("Incomplete:", "yellow"),
    ` ${parents} ${absentParents.length === 1 ? "is" : "are"} not in ${source.origin}; see the caveats.`,
  );
}

function printNodes(reach: Reach, { print, wide }: TextContext): void {
  const reachedNodes = shownNodes(reach);
  const sections = [
    ["Where it takes effect", reachedNodes.filter(({ isBelow, inEffect }) => isBelow && inEffect > 0)],
    ["Where it has no effect", reachedNodes.filter(({ isBelow, inEffect }) => isBelow && inEffect === 0)],
    ["Where traffic arrives", reachedNodes.filter(({ isBelow }) => !isBelow)],
  ] as const;
  for (const [title, own] of sections) {
    if (own.length === 0) continue;
    print.line();
    print.line(styled(title, "bold"));
    const listed = own.map(({ node, paths, inEffect, isBelow }) =>
      isBelow && inEffect > 0 && inEffect < paths ? { node, remark: ` (${inEffect} of ${paths} paths)` } : { node },
    );
    printTargets(print, listed, { indent: 2, all: wide });
  }
}

const EFFECTS: Readonly<Record<ReachedPath["effect"], Piece>> = {
  full: styled("takes effect", "green"),
  partial: styled("takes effect partly", "yellow"),
  none: styled("is overridden", "red"),
  met: styled("has a false condition", "dim"),
  idle: styled("has nothing to do", "dim"),
};

function printPaths({ paths }: Reach, { print }: TextContext): void {
  print.line();
  print.line(styled("Path by path", "bold"));
  for (const path of paths) print.paragraph({ indent: 2, hanging: 2 }, EFFECTS[path.effect], ` on ${formatPath(path)}`);
}
