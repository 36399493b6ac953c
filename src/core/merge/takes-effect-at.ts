import type { PolicyId } from "../model/refs.ts";
import type { Source } from "./provenance.ts";

/**
 * True if the policy sets the value at a pointer, or sets the same value. What another block of the policy has there, or the
 * policy at another level of the path, is then not overridden: a policy never overrides itself.
 */
export const takesEffectAt = ({ policy, lost }: Pick<Source, "policy" | "lost">, id: PolicyId): boolean =>
  policy === id || lost.some((one) => one.policy === id && one.reason === "equal");
