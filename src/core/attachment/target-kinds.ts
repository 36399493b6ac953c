/** The kinds that the policies of a definition may target. */
import type { PolicyDefinition, PolicyKind, TargetKind } from "../model/definition.ts";
import type { TargetRef } from "../model/policy.ts";
import { type KindId, kindId } from "../model/refs.ts";
import { nearMiss } from "../model/words/near-miss.ts";

// Definitions are immutable, so what is read off them can be kept as long as they live.
const usable = new WeakMap<PolicyDefinition, Map<PolicyKind, readonly TargetKind[]>>();

/** Of kinds that a definition joins, some may target what the others may not. */
export function usableKinds(definition: PolicyDefinition, own: PolicyKind): readonly TargetKind[] {
  let byKind = usable.get(definition);
  if (byKind === undefined) {
    byKind = new Map();
    usable.set(definition, byKind);
  }
  let kinds = byKind.get(own);
  if (kinds === undefined) {
    const isUsable = ({ policies }: TargetKind): boolean => policies.length === 0 || policies.includes(own.kind);
    kinds = definition.targeting.kinds.filter(isUsable);
    byKind.set(own, kinds);
  }
  return kinds;
}

/** The kind that a target means, if a policy may target it. */
export function findAllowed(kinds: readonly TargetKind[], { kind, group }: TargetRef): TargetKind | undefined {
  // Mostly spelled as it should be.
  for (const allowed of kinds) if (allowed.kind === kind && allowed.group === group) return allowed;
  const sameKind = kindsNamed(kinds, kind);
  if (group !== undefined) return sameKind.find((allowed) => allowed.group === group);
  return sameKind.length === 1 ? sameKind[0] : undefined;
}

/** Of whatever group. */
const kindsNamed = (kinds: readonly TargetKind[], kind: string): readonly TargetKind[] =>
  kinds.filter((allowed) => allowed.kind.toLowerCase() === kind.toLowerCase());

/** What is wrong with the kind of a target, of a policy of kind `own`: the field, and what to say of it. */
export function describeKindNotAllowed(
  own: string,
  { group, kind, field }: TargetRef,
  kinds: readonly TargetKind[],
): { readonly field: string; readonly message: string } {
  const meant = kindsNamed(kinds, kind);
  if (meant.length > 0) {
    const written = group === undefined ? `${kind} without a group` : `${kind} of group '${group}'`;
    const groups = meant.map((allowed) => `'${allowed.group}'`).join(" or ");
    const message = `${own} cannot target a ${written}; for ${meant[0]?.kind ?? kind} write group: ${groups}`;
    return { field: `${field}.group`, message };
  }
  const names = kinds.map((allowed) => allowed.kind);
  const near = nearMiss(kind, names);
  const hint = near === undefined ? "" : `; did you mean '${near}'?`;
  const written = group === undefined || group === "" ? kind : `${kind} (${group})`;
  const message = `${own} cannot target a ${written}; it can target: ${names.join(", ")}${hint}`;
  return { field: `${field}.kind`, message };
}

const kindIds = new WeakMap<TargetKind, KindId>();

export function kindIdOf(allowed: TargetKind): KindId {
  const known = kindIds.get(allowed);
  if (known !== undefined) return known;
  const id = kindId(allowed);
  kindIds.set(allowed, id);
  return id;
}
