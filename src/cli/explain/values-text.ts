import type { MappedField } from "../../core/effective/fold/effective-policy.ts";
import type { PathNode } from "../../core/effective/paths/path-node.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { ExplainedPath, PathOutcome } from "../../core/explain/explain/result.ts";
import {
  blockPointer,
  mappedPointer,
  ownPointer,
  sourcePointer,
  type ValuePointer,
} from "../../core/explain/value-pointer.ts";
import type { Lost } from "../../core/merge/provenance.ts";
import type { BlockName } from "../../core/model/policy.ts";
import {
  displayRef,
  type GroupKind,
  kindId,
  type ObjectId,
  objectId,
  type PolicyId,
  parseObjectId,
} from "../../core/model/refs.ts";
import { listWords, showPath, tellApart } from "../print/format-paths.ts";
import { showLine } from "../print/format-position.ts";
import { showPointer, showValue } from "../print/format-value.ts";
import { glued, type Piece, styled } from "../print/styled-text.ts";
import type { Telling } from "../print/text-context.ts";
import { type ValueStory, type ValueVariant, valueStories } from "./group-values.ts";

/** What all sentences about one value share. */
interface Scene {
  readonly policyKind: GroupKind;
  readonly variant: ValueVariant;
  readonly path: readonly PathNode[];
  readonly field: MappedField | undefined;
  readonly telling: Telling;
}

const LOST_WIDTH = 60;
const MOST_PATHS = 4;

/** Value by value: what holds, who says so and where, and what it won against; where paths differ, on which. */
export function tellValues(outcomes: readonly PathOutcome[], policyKind: GroupKind, telling: Telling): void {
  const all = outcomes.flatMap(({ paths }) => paths);
  let item: string | undefined;
  for (const story of valueStories(outcomes)) {
    const { field } = story;
    const place =
      field === undefined ? undefined : `${showPointer(field.pointer)} of ${displayRef(parseObjectId(field.object))}`;
    if (place !== item && place !== undefined) telling.print.paragraph({ indent: 2 }, `In ${place}`);
    item = place;
    tellStory(story, policyKind, all, telling);
  }
}

function tellStory(story: ValueStory, policyKind: GroupKind, all: readonly ExplainedPath[], telling: Telling): void {
  const { print } = telling;
  const { pointer, variants, silent, field } = story;
  const name = styled(showPointer(pointer), "bold");
  const [only] = variants;
  if (variants.length === 1 && silent === 0 && only !== undefined) {
    print.paragraph({ indent: 2, hanging: 4 }, name, ": ", showHeld(only, telling));
    tellReasons(sceneOf(only, policyKind, field, telling), 4);
    return;
  }
  print.paragraph({ indent: 2 }, name);
  variants.forEach((variant, index) => {
    const apart = tellApart(variant.paths, all);
    const isRest = index > 0 && index === variants.length - 1 && silent === 0;
    const count = `${variant.paths.length} of ${all.length} paths`;
    const where = apart ?? (isRest ? theOthers(variant.paths.length) : count);
    print.paragraph({ indent: 4, hanging: 4 }, styled(`on ${where}`, "cyan"), ": ", showHeld(variant, telling));
    if (apart === undefined && !isRest) tellPaths(variant.paths, telling);
    tellReasons(sceneOf(variant, policyKind, field, telling), 6);
  });
}

const theOthers = (count: number): string => (count === 1 ? "the other path" : `the other ${count} paths`);

function tellPaths(paths: readonly ExplainedPath[], { print, wide }: Telling): void {
  const shown = wide ? paths : paths.slice(0, MOST_PATHS);
  for (const path of shown) print.paragraph({ indent: 6, hanging: 2 }, styled(showPath(path), "dim"));
  if (shown.length < paths.length) print.line(`      … and ${paths.length - shown.length} more`);
}

const sceneOf = (
  variant: ValueVariant,
  policyKind: GroupKind,
  field: MappedField | undefined,
  telling: Telling,
): Scene => ({ variant, policyKind, field, telling, path: variant.paths[0]?.nodes ?? [] });

function tellReasons(scene: Scene, indent: number): void {
  const { print, wide, redaction } = scene.telling;
  const { source } = scene.variant;
  const holder = tellHolder(scene);
  const layout = { indent, hanging: 2 };
  if (holder !== undefined) print.paragraph(layout, ...holder);
  for (const lost of source.lost) print.paragraph(layout, ...tellLost(lost, scene));
  if (!wide) return;
  const { policy, block, strategy } = source.decidedBy;
  const who = policy === null ? "the object" : redaction.name(policy);
  print.paragraph(layout, styled(`last step: ${strategy}, ${who}${block === null ? "" : `, ${block}`}`, "dim"));
}

function showHeld({ value, source: { policy } }: ValueVariant, { redaction }: Telling): Piece {
  if (value === undefined) return styled("not set", "dim");
  if (policy !== null && redaction.isHidden(policy)) return styled("hidden", "dim");
  return showValue(value);
}

function tellHolder({ variant, telling, policyKind, path, field }: Scene): readonly Piece[] | undefined {
  const { policy, block, object, computed, pointer } = variant.source;
  const { redaction } = telling;
  const { world } = telling.source;
  if (policy !== null) {
    const name = styled(glued(redaction.name(policy)), "green");
    if (computed) return ["computed by the strategy of ", name];
    if (redaction.isHidden(policy)) return [name, " decides this"];
    const place = sourcePointer(world, policyKind, variant.source, path);
    return ["from ", name, blockWords(block), showPlace(place, telling)];
  }
  if (object === undefined) return undefined;
  const place =
    field === undefined
      ? ownPointer(world, policyKind, object, pointer, path)
      : mappedPointer(world, policyKind, field, pointer);
  return [
    "from ",
    styled(glued(`${displayRef(parseObjectId(object))}`), "green"),
    " itself",
    showPlace(place, telling),
  ];
}

const blockWords = (block: BlockName | null): string => (block === null || block === "bare" ? "" : `, ${block}`);

function showPlace(place: ValuePointer | undefined, { source }: Telling): Piece {
  const position = place === undefined ? undefined : source.locate(place.object, place.pointer);
  return position === undefined ? "" : styled(` (${showLine(position)})`, "dim");
}

/** One sentence on a candidate that did not make it. */
function tellLost(lost: Lost, scene: Scene): readonly Piece[] {
  const { variant, telling } = scene;
  const { policy, reason } = lost;
  const isHidden = policy !== undefined && telling.redaction.isHidden(policy);
  const value = isHidden ? "another value" : showValue(lost.value, LOST_WIDTH);
  const who = loserWords(lost, scene);
  const winners = winnerNames(lost, telling);
  const isSet = variant.value !== undefined;
  switch (reason) {
    case "replaced": {
      const why = variant.source.decidedBy.strategy === "Direct" ? DIRECT : OVERRIDES;
      if (isSet) return [`beats ${value} of `, ...who, `: ${why}`];
      return [...who, ` would set ${value}, but ${winners} replaces all below it: ${why}`];
    }
    case "overridden":
      if (isSet)
        return [
          `beats ${value} of `,
          ...who,
          `: a default gives way${isHolder(lost, variant) ? "" : ` to ${winners}`}`,
        ];
      return [
        ...who,
        ` would set ${value}, but defaults of this kind come whole or not at all, and ${winners} says something already`,
      ];
    case "removed":
      return [...who, ` would set ${value}, but ${winners} removes it`];
    case "deleted":
      return [...who, ` would set ${value}, but ${winners} deletes it (null)`];
    case "gated":
      return [...who, ` would set ${value}, ${conditionWords(lost, telling)}`];
    case "equal":
      return [...who, " says the same"];
  }
}

/** Whether it lost to nobody but the one whose value holds. */
const isHolder = ({ by }: Lost, { source }: ValueVariant): boolean => by.length === 1 && by[0] === source.policy;

const OVERRIDES = "an override wins over what is below it";
const DIRECT = "a policy right on its target wins over everything";

function loserWords(lost: Lost, scene: Scene): readonly Piece[] {
  const { telling, policyKind, path, field } = scene;
  const { redaction, source } = telling;
  const { world } = source;
  const { pointer } = scene.variant.source;
  if (lost.policy !== undefined) {
    const name = glued(redaction.name(lost.policy));
    if (redaction.isHidden(lost.policy)) return [name];
    return [
      name,
      blockWords(lost.block ?? null),
      showPlace(blockPointer(world, lost.policy, lost.block ?? null, pointer), telling),
    ];
  }
  const owner = field?.object ?? ownerOn(path, policyKind, world);
  if (owner === undefined) return ["the object itself"];
  const place =
    field === undefined
      ? ownPointer(world, policyKind, owner, pointer, path)
      : mappedPointer(world, policyKind, field, pointer);
  return [glued(displayRef(parseObjectId(owner))), " itself", showPlace(place, telling)];
}

/** The object on the path whose own fields the kind maps onto. */
function ownerOn(path: readonly PathNode[], policyKind: GroupKind, { rulebook }: World): ObjectId | undefined {
  const mappings = rulebook.byPolicyKind.get(kindId(policyKind))?.mappings ?? [];
  const node = path.findLast((one) =>
    mappings.some(({ level }) => level.kind === one.kind && level.group === one.group),
  );
  return node === undefined ? undefined : objectId(node);
}

/** Nobody: the object itself. */
function winnerNames({ by, policy }: Lost, { redaction }: Telling): string {
  const name = (winner: PolicyId): string =>
    winner === policy ? "another block of the same policy" : glued(redaction.name(winner));
  return by.length === 0 ? "what the object itself says" : listWords([...new Set(by.map(name))]);
}

function conditionWords({ policy, block }: Lost, { source, redaction }: Telling): string {
  const unmet = "but its condition does not hold here";
  if (policy === undefined || redaction.isHidden(policy)) return unmet;
  const record = source.world.policies.get(policy);
  const when = record?.policy?.blocks.find(({ name }) => name === block)?.when;
  return when === undefined ? unmet : `but only when ${when}, which does not hold here`;
}
