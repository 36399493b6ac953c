import type { PolicyRecord, World } from "../world/world.ts";
import { countedVerdict } from "./counted-verdict.ts";
import { findUndecided } from "./find-undecided.ts";
import type { CountedVerdict, Verdict } from "./verdict.ts";

/** The verdict of a policy. It is TargetNotFound or NoPath only where nothing outside of the input can change them. */
export function verdictOf(world: World, record: PolicyRecord): Verdict {
  const counted = countedVerdict(world, record);
  if (counted.state === "NotAccepted" && counted.reason === "Conflicted" && isUndefinedKind(record))
    return { state: "Unknown", reason: "Undefined", message: counted.message, by: counted.by };
  if (!mayBeUndecided(counted)) return counted;
  const undecided = findUndecided(world, record);
  if (undecided === undefined) return counted;
  if (counted.state === "Accepted") return { ...counted, enforcement: "Incomplete" };
  return { state: "Unknown", reason: "Incomplete", message: counted.message, by: [] };
}

/** True if it is not defined which of several policies on one target takes effect. */
const isUndefinedKind = ({ kind }: PolicyRecord): boolean => kind.definition.merge.sameTarget === "Undefined";

const mayBeUndecided = (counted: CountedVerdict): boolean =>
  counted.state === "Accepted" ? counted.enforcement === "NoPath" : counted.reason === "TargetNotFound";
