/** The kinds that the policies of a definition may target. */
import type { PolicyDefinition, PolicyKind, TargetKind } from "../model/definition.ts";
import type { PolicyTarget } from "../model/policy.ts";
import { nearMiss } from "../model/words/near-miss.ts";

/** The kinds that policies of the kind `own` may target. A definition may join kinds that may target different ones. */
export const usableKinds = ({ targeting }: PolicyDefinition, own: PolicyKind): readonly TargetKind[] =>
  targeting.kinds.filter(({ policies }) => policies.length === 0 || policies.includes(own.kind));

/**
 * A policy may target only the kinds that its definition allows
 *
 * Kinds compare without regard to case. A target without a group means the one allowed kind of that name.
 * GEP-713, "Targetability (“where”)"
 */
export function findAllowedKind(kinds: readonly TargetKind[], target: PolicyTarget): TargetKind | undefined {
  const { kind } = target;
  // Some vendors ask for the core group by its name. No API group can have that name.
  const group = target.group === "core" ? "" : target.group;
  const exact = kinds.find((allowed) => allowed.kind === kind && allowed.group === group);
  if (exact !== undefined) return exact;
  const sameKind = kindsNamed(kinds, kind);
  if (group !== undefined) return sameKind.find((allowed) => allowed.group === group);
  return sameKind.length === 1 ? sameKind[0] : undefined;
}

/** The kinds of that name, in every group. */
const kindsNamed = (kinds: readonly TargetKind[], kind: string): readonly TargetKind[] =>
  kinds.filter((allowed) => allowed.kind.toLowerCase() === kind.toLowerCase());

/**
 * Targets that are left to implementations
 *
 * The policies of Gateway API itself target Services, and other kinds of backends where an implementation supports them.
 * Gateway API, "BackendTLSPolicy"
 */
export const isTargetLeftToImplementations = (
  { policies: [first], targeting }: PolicyDefinition,
  { group = "", kind }: PolicyTarget,
): boolean =>
  first.group.startsWith("gateway.networking.") &&
  group.includes(".") &&
  !group.startsWith("gateway.networking.") &&
  kindsNamed(targeting.kinds, kind).length === 0;

/** The field and the message for a target of a kind that a policy of kind `own` may not target. */
export function formatKindNotAllowed(
  own: string,
  { group, kind, field }: PolicyTarget,
  kinds: readonly TargetKind[],
): { readonly field: string; readonly message: string } {
  const meant = kindsNamed(kinds, kind);
  if (meant.length > 0) {
    const written = group === undefined ? `${kind} without a group` : `${kind} of group '${group}'`;
    const groups = meant.map((allowed) => `'${allowed.group}'`).join(" or ");
    const message = `${own} cannot target a ${written}; for ${meant[0]?.kind ?? kind} write group: ${groups}`;
    return { field: `${field}.group`, message };
  }
  const names = [...new Set(kinds.map((allowed) => allowed.kind))];
  const near = nearMiss(kind, names);
  const hint = near === undefined ? "" : `; did you mean '${near}'?`;
  const written = group === undefined || group === "" ? kind : `${kind} (${group})`;
  const message = `${own} cannot target a ${written}; it can target: ${names.join(", ")}${hint}`;
  return { field: `${field}.kind`, message };
}
