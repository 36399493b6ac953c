import type { ObjectId } from "../../model/refs.ts";

/** Why links of an object are not followed: there would be no path, or no end of them. */
export type Tangle =
  /** Links among the members are not followed; one record for all of them. */
  | { readonly reason: "Cycle"; readonly members: readonly ObjectId[] }
  /** No link up from the object is followed. */
  | { readonly reason: "TooDeep" | "TooManyWays"; readonly limit: number }
  /** Only such objects are above it, so there is nothing to follow, nor to tell once more. */
  | { readonly reason: "Below" };
