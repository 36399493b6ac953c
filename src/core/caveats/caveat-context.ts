import type { KindNames } from "../effective/findings/kind-names.ts";
import type { World } from "../effective/world/world.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { Caveat, CaveatObject, CaveatScope } from "./caveat.ts";
import { type CaveatCode, caveatCodes } from "./caveat-codes.ts";
import type { RelatedObjects } from "./related-objects.ts";

/** The input of every function that finds caveats. */
export interface CaveatContext {
  readonly world: World;
  readonly scope: CaveatScope;
  readonly names: KindNames;
  /** Computed on the first call. Undefined: the question is about the whole input. */
  readonly related: () => RelatedObjects | undefined;
}

/** The number of objects that a caveat lists, and of names in its message. */
const SHOWN = 10;

type Draft = Pick<Caveat, "message" | "summary"> & Partial<Pick<Caveat, "objects" | "policies" | "fix">>;

/** A caveat with the severity of its code; with the fix of its code, unless it has its own. */
export const caveat = (code: CaveatCode, { message, summary, objects = [], policies = [], fix }: Draft): Caveat => ({
  code,
  severity: caveatCodes[code].severity,
  message,
  summary,
  objects: objects.slice(0, SHOWN),
  policies,
  fix: fix ?? caveatCodes[code].fix,
});

export const located = ({ id, source }: KubeObject, field?: string): CaveatObject => ({
  object: id,
  ...(field === undefined ? {} : { field }),
  ...(source === undefined ? {} : { source }),
});

/** `a, b and 3 more`, with the first ten names. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
