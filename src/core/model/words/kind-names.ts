import type { GroupKind } from "../refs.ts";

/** The name of a kind in answers. */
export type NameKind = (kind: GroupKind) => string;

/** Every kind by its bare name. */
export const bareKindName: NameKind = ({ kind }) => kind;

/** The groups of each name of a kind. */
export type SharedNames = ReadonlyMap<string, readonly string[]>;

/** The names that several of the kinds have, each with the groups of those kinds. */
export function sharedNames(kinds: Iterable<GroupKind>): SharedNames {
  const groups = new Map<string, Set<string>>();
  for (const { group, kind } of kinds) groups.set(kind, (groups.get(kind) ?? new Set()).add(group));
  return new Map([...groups].filter(([, of]) => of.size > 1).map(([kind, of]) => [kind, [...of]]));
}

/** Names a kind with its group where another of the kinds has its name: `AuthorizationPolicy.security.istio.io`, as kubectl does. */
export const nameAmong =
  (shared: SharedNames): NameKind =>
  ({ group, kind }) =>
    group !== "" && shared.has(kind) ? `${kind}.${group}` : kind;
