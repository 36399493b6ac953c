import { virtualObjects } from "../effective/world/implied-objects.ts";
import type { World } from "../effective/world/world.ts";
import { type GroupKind, parseKindId } from "../model/refs.ts";

/** The name of a kind in answers. */
export type NameKind = (kind: GroupKind) => string;

/** Every kind by its bare name. */
export const bareKindName: NameKind = ({ kind }) => kind;

/** Names a kind with its group where another kind of the same name is in one of the inputs: `AuthorizationPolicy.security.istio.io`, as kubectl does. */
export function kindNamesIn(...worlds: readonly Pick<World, "objects" | "attached" | "rulebook">[]): NameKind {
  const groups = new Map<string, Set<string>>();
  const add = ({ group, kind }: GroupKind): void => void groups.set(kind, (groups.get(kind) ?? new Set()).add(group));
  for (const world of worlds) {
    for (const id of world.objects.kinds()) add(parseKindId(id));
    for (const ref of virtualObjects(world)) add(ref);
  }
  return ({ group, kind }) => (group !== "" && (groups.get(kind)?.size ?? 0) > 1 ? `${kind}.${group}` : kind);
}

/**
 * A text about a policy of a kind, with the group of the kind if its name is that of another kind, too. Policies are merged with those of
 * their own kind only, so the policies of this name in the text are of this kind.
 */
export function withGroups(text: string, kind: GroupKind, nameKind: NameKind): string {
  const name = nameKind(kind);
  return name === kind.kind ? text : text.replace(new RegExp(`(?<![\\w./])${kind.kind} (?=\\S)`, "g"), `${name} `);
}
