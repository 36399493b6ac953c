import type { ObjectId } from "../../model/refs.ts";

/** Why links of an object are not followed. */
export type UnfollowedLinks =
  /** The links among the members are not followed. All members share this record. */
  | { readonly reason: "Cycle"; readonly members: readonly ObjectId[] }
  /** No link to a parent of the object is followed. */
  | { readonly reason: "TooDeep" | "TooManyPaths"; readonly limit: number }
  /** All parents of the object are such objects, so there is no path to it; it is not reported again. */
  | { readonly reason: "Below" };
