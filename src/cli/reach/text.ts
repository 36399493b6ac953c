import type { PathNode } from "../../core/effective/paths/path-node.ts";
import type { MissingLink, Reach, ReachedPath, ReachedTarget, ReachTarget } from "../../core/explain/reach/result.ts";
import { displayRef, kindId, objectId, parseObjectId } from "../../core/model/refs.ts";
import { showTraffic } from "../../core/model/traffic.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import { listWords, showNode, showPath } from "../print/format-paths.ts";
import { showLine } from "../print/format-position.ts";
import { showVerdict } from "../print/format-verdict.ts";
import { allPaths, countPlaces, countWord, inPathOrder, printPlaces } from "../print/print-targets.ts";
import { glued, type Piece, styled } from "../print/styled-text.ts";
import type { Telling } from "../print/text-context.ts";
import { tellReachedValues } from "./values-text.ts";

/** A reach for people: what became of the policy, how much hangs on it, value by value how it fares, and where. */
export function tellReach(reach: Reach, rule: string | undefined, telling: Telling): void {
  const { print, source, redaction } = telling;
  const at = source.locate(reach.policy);
  const place = at === undefined ? "" : styled(` (${showLine(at)})`, "dim");
  print.paragraph({ hanging: 2 }, styled(redaction.name(reach.policy), "bold"), place);
  tellVerdict(reach, rule, telling);
  tellTargets(reach, telling);
  if (reach.paths.length === 0) return;
  tellCounts(reach, telling);
  tellAbsent(reach, telling);
  tellReachedValues(reach, telling);
  tellPlaces(reach, telling);
  if (telling.wide) tellPaths(reach, telling);
}

function tellVerdict(reach: Reach, rule: string | undefined, { print, source }: Telling): void {
  const { verdict, paths, values, targets, policyKind } = reach;
  const kind = source.world.rulebook.byPolicyKind.get(kindId(policyKind));
  const { text, style } = showVerdict(verdict, kind?.definition ?? { status: { vocabulary: "Enforced" } });
  const layout = { indent: 2, hanging: 2 };
  if (verdict.state === "NotAccepted") {
    // What is wrong with each target is told with the target.
    const why = targets.length === 0 ? `${verdict.message}. It` : "it";
    print.paragraph(layout, styled(`Not accepted, ${text}:`, style), ` ${why} reaches nothing.`);
    return;
  }
  const isNowhere = verdict.enforcement === "NoPath";
  const what = isNowhere ? "it is accepted, and reaches nothing" : fateWords(paths, values.length);
  if (rule === undefined || isNowhere) {
    print.paragraph(layout, styled(`${text}:`, style), ` ${what}.`);
    return;
  }
  print.paragraph(layout, styled(`${text}:`, style), " the policy as a whole.");
  print.paragraph(layout, styled(`Rule ${rule}:`, "bold"), ` ${what}.`);
}

/** `all it says holds on 4 paths, some of it on 6, nothing on 3`. */
function fateWords(paths: readonly ReachedPath[], values: number): string {
  const count = (fate: ReachedPath["fate"]): number => paths.filter((path) => path.fate === fate).length;
  const [full, partial, none, met] = [count("full"), count("partial"), count("none"), count("met")];
  const total = paths.length;
  const onAll = `on ${allPaths(total)} that it is on`;
  const all = values === 1 ? "what it says" : "all it says";
  if (values === 0) return `it says nothing, ${onAll}`;
  if (full === total) return `${all} holds ${onAll}`;
  if (partial === total) return `some of what it says holds ${onAll}`;
  if (none === total) return `nothing it says holds, ${onAll}`;
  if (met === total) return `its condition does not hold, ${onAll}`;
  const parts = [
    ...(full > 0 ? [`${all} holds on ${countWord(full, "path")}`] : []),
    ...(partial > 0
      ? [`some of it ${full > 0 ? "" : "holds "}on ${full > 0 ? partial : countWord(partial, "path")}`]
      : []),
    ...(none > 0 ? [`nothing ${full + partial > 0 ? "" : "it says holds "}on ${none}`] : []),
    ...(met > 0 ? [`and on ${met} its condition does not hold`] : []),
  ];
  return `of ${countWord(total, "path")} that it is on, ${parts.join(", ")}`;
}

const MOST_TARGETS = 10;

/** Targets that fare well are counted where they are many; those that do not are named. */
function tellTargets({ targets, paths, policy, policyKind }: Reach, telling: Telling): void {
  const { print, wide } = telling;
  const isFine = (target: ReachTarget): boolean => target.state === "attached" && target.paths > 0;
  const fine = targets.filter(isFine);
  const isCounted = !wide && fine.length > MOST_TARGETS;
  if (isCounted) {
    const nodes = fine.flatMap((target) => (target.state === "refused" ? [] : [target.node]));
    print.paragraph({ indent: 2, hanging: 2 }, `On ${countPlaces(nodes)}: ${countWord(paths.length, "path")}`);
  }
  const named = isCounted ? targets.filter((target) => !isFine(target)) : targets;
  const shown = wide ? named : named.slice(0, MOST_TARGETS + 1);
  for (const target of shown) tellTarget(target, policy, policyKind.kind, telling);
  if (shown.length < named.length)
    print.line(`  … and ${named.length - shown.length} more targets (-o wide lists them all)`);
}

function tellTarget(
  target: ReachTarget,
  policy: Reach["policy"],
  kind: string,
  { print, source, redaction }: Telling,
): void {
  const layout = { indent: 2, hanging: 2 };
  switch (target.state) {
    case "attached":
      print.paragraph(layout, `On ${showNode(target.node)}`, ...aboutTarget(target, kind));
      for (const gap of target.gaps) print.paragraph({ indent: 4, hanging: 2 }, ...tellGap(gap, source));
      return;
    case "conflicted":
      print.paragraph(
        layout,
        `On ${showNode(target.node)}: `,
        styled("lost", "red"),
        ` to ${glued(redaction.name(target.by))}, which is older or first by name`,
      );
      return;
    case "refused": {
      const at = source.locate(policy, fieldPointer(target.field));
      const where = at === undefined ? target.field : `${target.field}, ${showLine(at)}`;
      print.paragraph(layout, styled("Refused:", "red"), ` ${target.message} `, styled(`(${where})`, "dim"));
    }
  }
}

function aboutTarget(
  { paths, gaps, consumer }: Extract<ReachTarget, { readonly state: "attached" }>,
  kind: string,
): readonly Piece[] {
  const traffic = consumer === undefined ? "" : `, for traffic from ${showTraffic(consumer)}`;
  if (paths > 0) return [`${traffic}: ${countWord(paths, "path")}`];
  const why = gaps.length === 0 ? `nothing that a ${kind} acts on hangs there` : "nothing hangs there, because";
  return [`${traffic}: `, styled("no path:", "yellow"), ` ${why}`];
}

function tellGap({ object, field, reason }: MissingLink, source: Telling["source"]): readonly Piece[] {
  const at = source.locate(object, fieldPointer(field));
  const where = at === undefined ? field : `${field}, ${showLine(at)}`;
  return [`${glued(displayRef(parseObjectId(object)))}: ${reason} `, styled(`(${where})`, "dim")];
}

/** Namespaces are levels of the hierarchy, but no traffic passes one: only what is targeted is worth a line. */
function shownPlaces({ places, targets, paths }: Reach): readonly ReachedTarget[] {
  const targeted = new Set(targets.flatMap((one) => (one.state === "refused" ? [] : [objectId(one.node)])));
  const shown = places.filter(
    ({ node }) => node.kind !== "Namespace" || node.group !== "" || targeted.has(objectId(node)),
  );
  return inPathOrder(shown, paths);
}

function tellCounts(reach: Reach, { print }: Telling): void {
  const shown = shownPlaces(reach);
  const places = shown.filter(({ isBelow }) => isBelow);
  const nodes = (some: readonly ReachedTarget[]): readonly PathNode[] => some.map(({ node }) => node);
  const deciding = places.filter((place) => place.deciding > 0);
  const others = places.filter((place) => place.deciding === 0);
  print.line();
  if (deciding.length > 0) print.paragraph({}, `It decides for ${countPlaces(nodes(deciding))}.`);
  if (others.length > 0) print.paragraph({}, `It decides nothing for ${countPlaces(nodes(others))}, which it reaches.`);
  const through = shown.filter(({ isBelow }) => !isBelow);
  if (through.length > 0) print.paragraph({}, `The traffic comes through ${countPlaces(nodes(through))}.`);
}

function tellAbsent({ absentParents }: Reach, { print, source }: Telling): void {
  if (absentParents.length === 0) return;
  const parents = listWords(absentParents.map((ref) => glued(displayRef(ref))));
  print.paragraph(
    {},
    styled("Incomplete:", "yellow"),
    ` ${parents} is named as a parent and is not in ${source.origin}. Whether it overrides this is not known. Add its file with -f.`,
  );
}

function tellPlaces(reach: Reach, { print, wide }: Telling): void {
  const places = shownPlaces(reach);
  const sections = [
    ["Where it decides", places.filter(({ isBelow, deciding }) => isBelow && deciding > 0)],
    ["Where it reaches and decides nothing", places.filter(({ isBelow, deciding }) => isBelow && deciding === 0)],
    ["What the traffic comes through", places.filter(({ isBelow }) => !isBelow)],
  ] as const;
  for (const [title, own] of sections) {
    if (own.length === 0) continue;
    print.line();
    print.line(styled(title, "bold"));
    const listed = own.map(({ node, paths, deciding, isBelow }) =>
      isBelow && deciding > 0 && deciding < paths ? { node, remark: ` (${deciding} of ${paths} paths)` } : { node },
    );
    printPlaces(print, listed, { indent: 2, all: wide });
  }
}

const FATES: Readonly<Record<ReachedPath["fate"], Piece>> = {
  full: styled("holds", "green"),
  partial: styled("holds partly", "yellow"),
  none: styled("is overridden", "red"),
  met: styled("has nothing to do", "dim"),
};

function tellPaths({ paths }: Reach, { print }: Telling): void {
  print.line();
  print.line(styled("Path by path", "bold"));
  for (const path of paths) print.paragraph({ indent: 2, hanging: 2 }, FATES[path.fate], ` on ${showPath(path)}`);
}
