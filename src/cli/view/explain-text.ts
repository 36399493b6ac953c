/** An EffectivePolicy of the view API in the words of `explain`. */
import type {
  EffectivePolicyView,
  ViewLost,
  ViewPathGroup,
  ViewPolicyKind,
  ViewValue,
} from "../../core/view/view-types.ts";
import { listWords } from "../print/format/format-paths.ts";
import { formatValue } from "../print/format/format-value.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { glued, type Piece, styled } from "../print/terminal/styled-text.ts";
import { printViewRetries } from "./retries-text.ts";
import { printViewEnd } from "./view-end.ts";
import { namesInView, type ViewNames } from "./view-names.ts";

export interface ViewTextContext {
  readonly print: Printer;
  readonly wide: boolean;
}

interface NamedContext extends ViewTextContext {
  readonly names: ViewNames;
}

export function printExplainView(
  view: EffectivePolicyView,
  { sectionName, ...given }: ViewTextContext & { readonly sectionName: string | undefined },
): void {
  const names = namesInView(view);
  const context: NamedContext = { ...given, names };
  const { print } = context;
  const { target, policyKinds, values, ineffective = [] } = view;
  print.paragraph({ hanging: 2 }, styled(names.name(target, sectionName), "bold"));
  for (const kind of policyKinds) {
    const own = values
      .filter(({ policyKind }) => policyKind.kind === kind.kind && policyKind.group === kind.group)
      .filter((value) => sectionName === undefined || isOn(value, sectionName));
    if (own.length > 0) printKind(kind, own, context);
  }
  if (ineffective.length > 0) {
    print.line();
    print.line(styled("Policies without effect that name it", "bold"));
    for (const { policy, reason, message } of ineffective)
      print.paragraph({ indent: 2, hanging: 2 }, styled(names.name(policy), "strong"), `: ${reason}: ${message}`);
  }
  printViewRetries(view.retries, { print, sectionName });
  printViewEnd(view, print);
}

const isOn = ({ paths }: ViewValue, sectionName: string): boolean =>
  paths.groups.some(({ sections }) => sections.length === 0 || sections.includes(sectionName));

function printKind(kind: ViewPolicyKind, values: readonly ViewValue[], context: NamedContext): void {
  const { print, names } = context;
  const { policies, paths } = kind;
  const count = policies.length === 1 ? "1 policy" : `${policies.length} policies`;
  print.line();
  print.paragraph(
    {},
    styled(names.kindName(kind), "bold"),
    `: ${count} on ${paths === 1 ? "the only path" : `${paths} paths`}.`,
  );
  print.line();
  for (const { policy, attachedTo, contact } of policies)
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled(names.name(policy), "strong"),
      ` on ${attachedTo}${contact === undefined ? "" : `; ask ${contact}`}`,
    );
  print.line();
  const fields = new Map<string, ViewValue[]>();
  for (const value of values) {
    const key = `${value.mappedTo ?? ""}\n${value.field}`;
    fields.set(key, [...(fields.get(key) ?? []), value]);
  }
  for (const variants of fields.values()) printField(variants, context);
}

function printField(variants: readonly ViewValue[], context: NamedContext): void {
  const { print } = context;
  const [first] = variants;
  if (first === undefined) return;
  const { field, mappedTo } = first;
  const name = styled(mappedTo === undefined ? field : `${field} in ${mappedTo}`, "cyan");
  if (variants.length === 1 && first.paths.count === first.paths.of) {
    print.paragraph({ indent: 2, hanging: 4 }, name, ": ", formatEffective(first));
    printReasons(first, 4, context);
    return;
  }
  print.paragraph({ indent: 2 }, name);
  for (const value of variants) {
    print.paragraph(
      { indent: 4, hanging: 4 },
      styled(`on ${formatPaths(value)}`, "cyan"),
      ": ",
      formatEffective(value),
    );
    if (context.wide) for (const group of value.paths.groups) printGroup(group, context);
    printReasons(value, 6, context);
  }
}

function formatPaths({ paths: { count, of, groups } }: ViewValue): string {
  const sections = [...new Set(groups.flatMap((group) => group.sections))];
  const where = sections.length === 0 || sections.length > 4 ? "" : ` (${sections.map((one) => `#${one}`).join(", ")})`;
  return `${count} of ${of} paths${where}`;
}

function printGroup({ above, below, moreBelow = 0, hiddenBelow = 0 }: ViewPathGroup, { print }: NamedContext): void {
  const layout = { indent: 6, hanging: 2 };
  for (const way of above) print.paragraph(layout, styled(`paths from ${way}`, "dim"));
  for (const way of below) print.paragraph(layout, styled(`paths to ${way}`, "dim"));
  if (moreBelow + hiddenBelow > 0) print.paragraph(layout, styled(`paths to ${moreBelow + hiddenBelow} others`, "dim"));
}

function formatEffective({ value, redacted }: ViewValue): Piece {
  if (redacted !== undefined) return styled("hidden", "dim");
  return value === undefined ? styled("not set", "dim") : styled(formatValue(value), "strong");
}

function printReasons(
  { source, redacted, lost }: ViewValue,
  indent: number,
  { print, wide, names }: NamedContext,
): void {
  const layout = { indent, hanging: 2 };
  const from = source?.policy ?? source?.object;
  if (source !== undefined && from !== undefined) {
    const block = source.block === undefined || source.block === "bare" ? "" : `, ${source.block}`;
    const how = source.policy === undefined ? " itself" : block;
    print.paragraph(
      layout,
      "from ",
      styled(glued(names.name(from)), "strong"),
      how,
      redacted === undefined ? "" : `; the value is ${redacted}`,
    );
  }
  for (const one of lost) print.paragraph(layout, styled(formatLost(one, names), "dim"));
  if (wide && source !== undefined) print.paragraph(layout, styled(`strategy: ${source.strategy}`, "dim"));
}

const LOST_WIDTH = 60;

function formatLost({ policy, block, value, reason, by }: ViewLost, { name }: ViewNames): string {
  const who = policy === undefined ? "the object itself" : name(policy);
  const where = block === undefined || block === "bare" ? "" : `, ${block}`;
  const what = value === undefined ? "another value" : formatValue(value, LOST_WIDTH);
  const winners = by.length === 0 ? "" : ` by ${listWords(by.map((one) => name(one)))}`;
  switch (reason) {
    case "equal":
      return `${who}${where} has the same value`;
    case "gated":
      return `${who}${where} would set ${what}, but its condition is false here`;
    default:
      return `${what} from ${who}${where} is ${reason}${winners}`;
  }
}
