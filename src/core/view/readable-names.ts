import { formatRejection } from "../effective/verdicts/format-rejection.ts";
import { verdictOf } from "../effective/verdicts/verdict-of.ts";
import type { PolicyRecord, World } from "../effective/world/world.ts";
import type { Reach } from "../explain/reach/result.ts";
import { type KindId, type ObjectId, objectId, parseKindId } from "../model/refs.ts";
import type { NameLookup } from "../model/words/near-miss.ts";
import type { Viewer } from "./view-context.ts";

/** The objects that a message about a missing target could suggest: the rights to them must be known. */
export const suggestedObjects = ({ names }: World, { targets }: PolicyRecord): readonly ObjectId[] =>
  targets.rejections.flatMap(({ missing }) => {
    if (missing === undefined) return [];
    const { kind, namespace, name } = missing;
    const near = names.nearest(kind, namespace, name);
    const elsewhere = names.namespacesOf(kind, name).map((other) => idOf(kind, other, name));
    return near === undefined ? elsewhere : [...elsewhere, idOf(kind, namespace, near)];
  });

const idOf = (kind: KindId, namespace: string, name: string): ObjectId =>
  objectId({ ...parseKindId(kind), namespace, name });

/**
 * Suggestions for a missing target name only what the user may read. A user who may read a policy sees why its targets are refused. A
 * similar name, or another namespace, is suggested only if the user may read that object or see the effective policies of its namespace.
 */
export function explainRefusals(
  world: World,
  record: PolicyRecord,
  { verdict, targets }: Reach,
  viewer: Viewer,
): Pick<Reach, "verdict" | "targets"> {
  const { rejections } = record.targets;
  if (rejections.every(({ missing }) => missing === undefined)) return { verdict, targets };
  const visible: World = { ...world, names: readableNames(world.names, viewer) };
  const messages = rejections.map((rejection) => formatRejection(visible, rejection)).values();
  return {
    verdict: verdictOf(visible, record),
    targets: targets.map((target) =>
      target.state === "refused" ? { ...target, message: messages.next().value ?? target.message } : target,
    ),
  };
}

function readableNames(names: NameLookup, { mayRead, maySee }: Viewer): NameLookup {
  const isKnown = (kind: KindId, namespace: string, name: string): boolean =>
    maySee(namespace) || mayRead(idOf(kind, namespace, name));
  return {
    nearest: (kind, namespace, name) => {
      const near = names.nearest(kind, namespace, name);
      return near !== undefined && isKnown(kind, namespace, near) ? near : undefined;
    },
    namespacesOf: (kind, name) => names.namespacesOf(kind, name).filter((other) => isKnown(kind, other, name)),
  };
}
