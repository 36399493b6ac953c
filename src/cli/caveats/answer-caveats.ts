import type { Caveat, CaveatDataplane, CaveatObject, CaveatQuestion } from "../../core/caveats/caveat.ts";
import { caveatCodes } from "../../core/caveats/caveat-codes.ts";
import { findCaveats } from "../../core/caveats/find-caveats.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { ObjectId, PolicyId } from "../../core/model/refs.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";

/** The source of an answer: a loaded source, or one side of a plan. */
export type AnswerSource = Pick<LoadedSource, "world" | "locate" | "unread">;

export interface AnswerOptions {
  readonly redaction?: Redaction;
  readonly dataplane?: CaveatDataplane | undefined;
  /** The Gateways, or the Services of a mesh, that a traced request arrives at. */
  readonly arrivesAt?: readonly ObjectId[];
}

/** The caveats that touch an answer, with the positions of their fields. Hidden policies are counted, not named. */
export function answerCaveats(
  { world, locate, unread }: AnswerSource,
  question: CaveatQuestion,
  { redaction, dataplane, arrivesAt = [] }: AnswerOptions = {},
): readonly Caveat[] {
  const locateObject = (named: CaveatObject): CaveatObject => {
    const { object, field } = named;
    const source =
      (object === undefined ? undefined : locate(object, field === undefined ? undefined : fieldPointer(field))) ??
      named.source;
    return source === undefined ? named : { ...named, source };
  };
  return findCaveats(world, { ...question, dataplane, unread, arrivesAt }).map((caveat) =>
    // A document that could not be used has its own position: the object of a second document is found at the first one.
    redact(
      caveat.code === "UnreadableInput" ? caveat : { ...caveat, objects: caveat.objects.map(locateObject) },
      redaction,
    ),
  );
}

/** The question of a command that lists: about the policies or objects that are named; about everything if none is. */
export function questionAbout(
  { policies }: Pick<World, "policies">,
  targets: readonly { readonly id: ObjectId }[] | undefined,
): CaveatQuestion {
  if (targets === undefined) return { about: "Input" };
  const ids = targets.map(({ id }) => id);
  const isPolicy = (id: ObjectId): id is PolicyId => policies.get(id as PolicyId) !== undefined;
  return ids.length > 0 && ids.every(isPolicy)
    ? { about: "Policies", policies: ids }
    : { about: "Objects", objects: ids };
}

/** Only policies are hidden. A message that names one is replaced by its summary, which has counts only. */
function redact(caveat: Caveat, redaction: Redaction | undefined): Caveat {
  const isHidden = ({ object }: CaveatObject): boolean =>
    object !== undefined && redaction?.isHidden(object) === true && caveatCodes[caveat.code].mayNamePolicies === true;
  if (!caveat.objects.some(isHidden)) return caveat;
  return { ...caveat, message: caveat.summary, objects: caveat.objects.filter((named) => !isHidden(named)) };
}
