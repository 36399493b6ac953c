/** A PolicyReach of the view API in the words of `reach`. */
import type { PolicyReachView, ViewReachLoss, ViewReachValue } from "../../core/view/view-types.ts";
import { listWords } from "../print/format/format-paths.ts";
import { formatValue } from "../print/format/format-value.ts";
import { styled } from "../print/terminal/styled-text.ts";
import type { ViewTextContext } from "./explain-text.ts";
import { printViewRetries } from "./retries-text.ts";
import { printViewEnd } from "./view-end.ts";
import { namesInView, type ViewNames } from "./view-names.ts";

interface NamedContext extends ViewTextContext {
  readonly names: ViewNames;
}

export function printReachView(view: PolicyReachView, given: ViewTextContext): void {
  const names = namesInView(view);
  const context: NamedContext = { ...given, names };
  const { print } = context;
  const { policy, verdict, targets, values } = view;
  print.paragraph({ hanging: 2 }, styled(names.name(policy), "bold"));
  const style = verdict.reason === "Enforced" ? "green" : verdict.accepted === "False" ? "red" : "yellow";
  const word = WORDS[verdict.accepted](verdict.reason);
  print.paragraph({ indent: 2, hanging: 2 }, styled(`${word}:`, style), ` ${verdict.message ?? formatEffect(view)}.`);
  for (const { state, target, message, paths } of targets)
    print.paragraph(
      { indent: 2, hanging: 2 },
      `target: ${target ?? "none"}${state === "Attached" ? `, ${countPaths(paths ?? 0)}` : `, ${state}: ${message ?? ""}`}`,
    );
  if (values.length > 0) print.line();
  for (const value of values) printValue(value, context);
  printReached(view, context);
  printViewRetries(view.retries, { print });
  printViewEnd(view, print);
}

const WORDS: Readonly<Record<PolicyReachView["verdict"]["accepted"], (reason: string) => string>> = {
  True: (reason) => reason,
  False: (reason) => `Not accepted, ${reason}`,
  Unknown: (reason) => `Not known, ${reason}`,
};

const countPaths = (count: number): string => (count === 1 ? "1 path" : `${count} paths`);

function formatEffect({ paths: { count, full, partial } }: PolicyReachView): string {
  if (count === 0) return "the policy reaches nothing";
  return `all settings take effect on ${full} of ${countPaths(count)}${partial === 0 ? "" : `, some on ${partial}`}`;
}

function printValue(
  { field, block, value, when, inEffect, equal, overridden, gated, lost }: ViewReachValue,
  { print, names }: NamedContext,
): void {
  const where = block === "bare" ? "" : `, ${block}`;
  print.paragraph({ indent: 2, hanging: 4 }, styled(field, "cyan"), ": ", styled(formatValue(value), "strong"), where);
  const counts = [
    `takes effect on ${countPaths(inEffect)}`,
    ...(equal === 0 ? [] : [`another policy has the same value on ${equal}`]),
    ...(overridden === 0 ? [] : [`overridden on ${overridden}`]),
    ...(gated === 0 ? [] : [`its condition${when === undefined ? "" : ` ${when}`} is false on ${gated}`]),
  ];
  print.paragraph({ indent: 4, hanging: 2 }, counts.join("; "));
  for (const loss of lost) print.paragraph({ indent: 4, hanging: 2 }, styled(formatLoss(loss, names), "dim"));
}

function formatLoss({ reason, by, object, value, redacted, paths }: ViewReachLoss, { name }: ViewNames): string {
  const winners = by.map((one) => name(one));
  const who =
    winners.length > 0 ? listWords(winners) : object === undefined ? "the object itself" : `${name(object)} itself`;
  const instead =
    value !== undefined
      ? `, which sets ${formatValue(value, 60)}`
      : redacted !== undefined
        ? `, with a value ${redacted}`
        : "";
  const what = reason === "equal" ? "the same as" : `${reason} by`;
  return `${what} ${who}${instead}, on ${countPaths(paths)}`;
}

const SHOWN = 20;

function printReached(
  { reached: { count, byKind, objects, more = 0, hidden = 0 } }: PolicyReachView,
  { print, wide, names }: NamedContext,
): void {
  if (count === 0) return;
  print.line();
  print.paragraph(
    {},
    styled("Takes effect on", "bold"),
    ` ${listWords(byKind.map((one) => `${one.count} ${names.kindName(one)}`))}`,
  );
  const shown = wide ? objects : objects.slice(0, SHOWN);
  for (const { sectionName, ...object } of shown) print.paragraph({ indent: 2 }, names.name(object, sectionName));
  const others = objects.length - shown.length + more;
  if (others > 0) print.line(`  … and ${others} more`);
  if (hidden > 0) print.line(`  and ${hidden} in namespaces that you may not see`);
}
