import type { MappedField } from "../../core/effective/fold/effective-policy.ts";
import type { PathNode } from "../../core/effective/paths/path-node.ts";
import type { World } from "../../core/effective/world/world.ts";
import { groupValues, type ValueGroup, type ValueVariant } from "../../core/explain/explain/group-values.ts";
import type { ExplainedPath, PathOutcome } from "../../core/explain/explain/result.ts";
import {
  blockPointer,
  isCrdDefault,
  mappedPointer,
  ownPointer,
  sourcePointer,
  type ValuePointer,
} from "../../core/explain/value-pointer.ts";
import { isAccumulated, pointerInPolicy } from "../../core/merge/accumulated-pointer.ts";
import type { Lost, Source } from "../../core/merge/provenance.ts";
import type { BlockName } from "../../core/model/policy.ts";
import {
  formatRef,
  type GroupKind,
  kindId,
  type ObjectId,
  objectId,
  type PolicyId,
  parseObjectId,
} from "../../core/model/refs.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import { createDifference, type FormatDifference, formatPath, listWords } from "../print/format/format-paths.ts";
import { formatPointer, formatValue } from "../print/format/format-value.ts";
import { glued, type Piece, restyled, styled } from "../print/terminal/styled-text.ts";
import type { TextContext } from "../print/text-context.ts";
import { formatWritten } from "./blame.ts";

/** The context of the sentences about one variant of a value. */
interface VariantContext {
  readonly policyKind: GroupKind;
  readonly variant: ValueVariant;
  readonly path: readonly PathNode[];
  readonly field: MappedField | undefined;
  readonly context: TextContext;
}

const LOST_WIDTH = 60;
const MOST_PATHS = 4;

/** Prints each value, its source, and what it overrides or replaces; where paths differ, on which paths. `includes`: only some of them. */
export function printValues(
  outcomes: readonly PathOutcome[],
  policyKind: GroupKind,
  context: TextContext,
  includes: (source: Source) => boolean = () => true,
): void {
  const all = outcomes.flatMap(({ paths }) => paths);
  const difference = createDifference(all);
  let item: string | undefined;
  for (const group of inEvaluationOrder(groupValues(outcomes), outcomes)) {
    if (!group.variants.some(({ source }) => includes(source))) continue;
    const { field } = group;
    const heading =
      field === undefined ? undefined : `${formatPointer(field.pointer)} of ${formatRef(parseObjectId(field.object))}`;
    if (heading !== item && heading !== undefined) context.print.paragraph({ indent: 2 }, `In ${heading}`);
    item = heading;
    printValueGroup(group, policyKind, { total: all.length, difference }, context);
  }
}

/** In kinds in which all policies take effect, values are listed policy by policy, in the order of evaluation. */
function inEvaluationOrder(groups: readonly ValueGroup[], outcomes: readonly PathOutcome[]): readonly ValueGroup[] {
  const order = [...new Set(outcomes.flatMap((outcome) => outcome.order ?? []).map(({ policy }) => policy))];
  if (order.length === 0) return groups;
  const at = ({ variants: [first] }: ValueGroup): number =>
    order.findIndex((policy) => policy === first?.source.policy);
  return [...groups].sort((a, b) => at(a) - at(b));
}

/** `rules`. A policy that sets nothing has one value, its whole spec. */
function formatName({ pointer, variants: [first] }: ValueGroup): string {
  return first === undefined || !isAccumulated(first.source)
    ? formatPointer(pointer)
    : formatPointer(pointerInPolicy(first.source)) || "spec";
}

function printValueGroup(
  group: ValueGroup,
  policyKind: GroupKind,
  { total, difference }: { readonly total: number; readonly difference: FormatDifference },
  context: TextContext,
): void {
  const { print } = context;
  const { variants, silent, field } = group;
  const name = styled(formatName(group), "cyan");
  const [only] = variants;
  if (variants.length === 1 && silent === 0 && only !== undefined) {
    print.paragraph({ indent: 2, hanging: 4 }, name, ": ", formatEffectiveValue(only, context));
    printReasons(variantContext(only, policyKind, field, context), 4);
    return;
  }
  print.paragraph({ indent: 2 }, name);
  variants.forEach((variant, index) => {
    const apart = difference(variant.paths);
    const isRest = index > 0 && index === variants.length - 1 && silent === 0;
    const count = `${variant.paths.length} of ${total} paths`;
    const where = apart ?? (isRest ? theOthers(variant.paths.length) : count);
    print.paragraph(
      { indent: 4, hanging: 4 },
      styled(`on ${where}`, "cyan"),
      ": ",
      formatEffectiveValue(variant, context),
    );
    if (apart === undefined && !isRest) printPaths(variant.paths, context);
    printReasons(variantContext(variant, policyKind, field, context), 6);
  });
}

const theOthers = (count: number): string => (count === 1 ? "the other path" : `the other ${count} paths`);

function printPaths(paths: readonly ExplainedPath[], { print, wide }: TextContext): void {
  const shown = wide ? paths : paths.slice(0, MOST_PATHS);
  for (const path of shown) print.paragraph({ indent: 6, hanging: 2 }, styled(formatPath(path), "dim"));
  if (shown.length < paths.length) print.line(`      … and ${paths.length - shown.length} more`);
}

const variantContext = (
  variant: ValueVariant,
  policyKind: GroupKind,
  field: MappedField | undefined,
  context: TextContext,
): VariantContext => ({ variant, policyKind, field, context, path: variant.paths[0]?.nodes ?? [] });

function printReasons(own: VariantContext, indent: number): void {
  const { print, wide, redaction } = own.context;
  const { source } = own.variant;
  const winner = formatValueSource(own);
  const layout = { indent, hanging: 2 };
  if (winner !== undefined) print.paragraph(layout, ...winner);
  printWritten(own, layout);
  for (const lost of source.lost.filter((one) => !isItself(one, source)))
    print.paragraph(layout, ...restyled(formatLost(lost, own), "dim"));
  if (!wide) return;
  const { policy, block, strategy } = source.decidedBy;
  const who = policy === null ? "the object" : redaction.name(policy);
  print.paragraph(layout, styled(`last step: ${strategy}, ${who}${block === null ? "" : `, ${block}`}`, "dim"));
}

/** A policy at two levels sets the value at both. */
const isItself = ({ policy, block, reason }: Lost, source: ValueVariant["source"]): boolean =>
  reason === "equal" && policy !== undefined && policy === source.policy && block === source.block;

function formatEffectiveValue({ value, source }: ValueVariant, { redaction }: TextContext): Piece {
  if (value === undefined) return styled("not set", "dim");
  if (redaction.hidesValue(source.policy, source.pointer)) return styled("hidden", "dim");
  return styled(formatValue(value), "strong");
}

function formatValueSource(own: VariantContext): readonly Piece[] | undefined {
  const { variant, context } = own;
  const { policy, block, object, computed } = variant.source;
  const { redaction } = context;
  const { world } = context.source;
  if (policy !== null) {
    const name = styled(glued(redaction.name(policy)), "strong");
    if (computed) return ["computed by the strategy of ", name];
    if (redaction.isHidden(policy)) return ["from ", name];
    return ["from ", name, blockWords(block), formatValuePosition(locationOf(own), context)];
  }
  if (object === undefined) return undefined;
  const location = locationOf(own);
  return [
    "from ",
    styled(glued(formatRef(parseObjectId(object))), "strong"),
    isCrdDefault(world, location) ? " itself, CRD default" : " itself",
    formatValuePosition(location, context),
  ];
}

/** `--blame`: a policy that is hidden is not blamed. */
function printWritten(own: VariantContext, layout: { readonly indent: number; readonly hanging: number }): void {
  const { print, source, redaction, nowMs = 0 } = own.context;
  const { policy, computed } = own.variant.source;
  if (computed || (policy !== null && redaction.isHidden(policy))) return;
  const location = locationOf(own);
  const written = location === undefined ? undefined : source.writtenAt?.(location);
  if (written === undefined) return;
  const what = policy === null ? "the object" : "the policy";
  print.paragraph(layout, styled(formatWritten(written, what, nowMs), "dim"));
}

/** The object and the pointer that have the value. */
function locationOf({ variant, context, policyKind, path, field }: VariantContext): ValuePointer | undefined {
  const { policy, object, pointer } = variant.source;
  const { world } = context.source;
  if (policy === null && object !== undefined && field !== undefined)
    return mappedPointer(world, policyKind, field, pointer);
  return sourcePointer(world, policyKind, variant.source, path);
}

const blockWords = (block: BlockName | null): string => (block === null || block === "bare" ? "" : `, ${block}`);

function formatValuePosition(location: ValuePointer | undefined, { source }: TextContext): Piece {
  const position = location === undefined ? undefined : source.locate(location.object, location.pointer);
  return position === undefined ? "" : styled(` (${formatLine(position)})`, "dim");
}

/** One sentence about a setting that does not take effect. */
function formatLost(lost: Lost, own: VariantContext): readonly Piece[] {
  const { variant, context } = own;
  const { policy, reason } = lost;
  const isHidden = context.redaction.hidesValue(policy, variant.source.pointer);
  const value = isHidden ? "another value" : formatValue(lost.value, LOST_WIDTH);
  const who = formatLoser(lost, own);
  const winners = winnerNames(lost, own);
  const isSet = variant.value !== undefined;
  switch (reason) {
    case "overridden": {
      if (isSet && !lost.by.some((winner) => winner === variant.source.policy) && lost.by.length > 0)
        return [`${winners} overrides ${value} from `, ...who];
      if (isSet)
        return [`overrides ${value} from `, ...who, variant.source.decidedBy.strategy === "Direct" ? DIRECT : ""];
      return [...who, ` would set ${value}, but ${winners} overrides everything below it`];
    }
    case "replaced": {
      const wanted = isHidden ? "a default" : `the default ${value}`;
      if (isSet && isSource(lost, variant)) return [`replaces ${wanted} from `, ...who];
      if (isSet) return [`${wanted} from `, ...who, ` is replaced by ${winners}`];
      return [...who, ` would set ${value}, but ${whyReplaced(lost, variant, winners)}`];
    }
    case "removed":
      return [...who, ` would set ${value}, but ${winners} removes it`];
    case "deleted":
      return [...who, ` would set ${value}, but ${winners} deletes it (null)`];
    case "gated":
      return [...who, ` would set ${value}, ${conditionWords(lost, context)}`];
    case "equal":
      return [...who, " has the same value"];
  }
}

/** Why a default is replaced at a pointer where no value takes effect. */
function whyReplaced({ by }: Lost, { source }: ValueVariant, winners: string): string {
  const { strategy } = source.decidedBy;
  if (by.length > 0 && strategy.startsWith("Atomic"))
    return `its defaults are atomic and ${winners} replaces them as a whole`;
  if (strategy === "Replace") return `it is not merged with policies on a lower level, and ${winners} takes effect`;
  if (strategy === "None") return `policies of this kind are not merged, and ${winners} takes effect`;
  return `${winners} has a value above or below it, with which it is not merged`;
}

/** True if it lost to the source of the effective value alone. */
const isSource = ({ by }: Lost, { source }: ValueVariant): boolean => by.length === 1 && by[0] === source.policy;

/** A Direct policy overrides inherited ones, whatever their blocks are. */
const DIRECT = ": a policy attached directly to the target overrides all others";

function formatLoser(lost: Lost, own: VariantContext): readonly Piece[] {
  const { context, policyKind, path, field } = own;
  const { redaction, source } = context;
  const { world } = source;
  const { pointer } = own.variant.source;
  if (lost.policy !== undefined) {
    const name = glued(redaction.name(lost.policy));
    if (redaction.isHidden(lost.policy)) return [name];
    return [
      name,
      blockWords(lost.block ?? null),
      formatValuePosition(blockPointer(world, lost.policy, lost.block ?? null, pointer), context),
    ];
  }
  const owner = field?.object ?? ownerOn(path, policyKind, world);
  if (owner === undefined) return ["the object itself"];
  const location =
    field === undefined
      ? ownPointer(world, policyKind, owner, pointer, path)
      : mappedPointer(world, policyKind, field, pointer);
  return [glued(formatRef(parseObjectId(owner))), " itself", formatValuePosition(location, context)];
}

/** The object on the path whose own fields the kind maps onto. */
function ownerOn(path: readonly PathNode[], policyKind: GroupKind, { rulebook }: World): ObjectId | undefined {
  const mappings = rulebook.byPolicyKind.get(kindId(policyKind))?.mappings ?? [];
  const node = path.findLast((one) =>
    mappings.some(({ level }) => level.kind === one.kind && level.group === one.group),
  );
  return node === undefined ? undefined : objectId(node);
}

function winnerNames({ by, policy }: Lost, { context, policyKind, path, field }: VariantContext): string {
  const { redaction, source } = context;
  const owner = field?.object ?? ownerOn(path, policyKind, source.world);
  const name = (winner: PolicyId): string =>
    winner === policy ? "another block of the same policy" : glued(redaction.name(winner));
  if (by.length === 0)
    return owner === undefined ? "the object itself" : `${glued(formatRef(parseObjectId(owner)))} itself`;
  return listWords([...new Set(by.map(name))]);
}

function conditionWords({ policy, block }: Lost, { source, redaction }: TextContext): string {
  const unmet = "but its condition is false here";
  if (policy === undefined || redaction.isHidden(policy)) return unmet;
  const record = source.world.policies.get(policy);
  const when = record?.policy?.blocks.find(({ name }) => name === block)?.when;
  return when === undefined ? unmet : `but only when ${when}, which is false here`;
}
