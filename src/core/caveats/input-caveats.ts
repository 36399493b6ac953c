/** Caveats about input that is not in the evaluation: what could not be read, and what the API server would refuse. */
import type { Finding } from "../model/finding.ts";
import { formatRef, type ObjectId, parseObjectId } from "../model/refs.ts";
import type { Caveat, CaveatObject } from "./caveat.ts";
import { type CaveatContext, caveat, listNames } from "./caveat-context.ts";

/** Files and documents that could not be read, or that define an object twice. They could have been about anything. */
export function unreadableCaveats({ world, scope }: CaveatContext): readonly Caveat[] {
  const unread = [...(scope.unread ?? []), ...world.documentFindings].filter(({ severity }) => severity === "error");
  const [first] = unread;
  if (first === undefined) return [];
  const summary = `${unread.length === 1 ? "1 document" : `${unread.length} documents`} could not be used`;
  const rest = unread.length === 1 ? "" : `; and ${unread.length - 1} more`;
  return [
    caveat("UnreadableInput", {
      message: `${summary}: ${first.message}${rest}`,
      summary,
      objects: unread.map(positionOfFinding),
    }),
  ];
}

/** Templates in folders: what they would define is not known. */
export function templateCaveats({ scope }: CaveatContext): readonly Caveat[] {
  const [found] = (scope.unread ?? []).filter(
    ({ code, severity }) => code === "UnrenderedTemplate" && severity !== "error",
  );
  if (found === undefined) return [];
  const summary = "templates are not read";
  return [
    caveat("UnrenderedTemplate", { message: capital(found.message), summary, objects: [positionOfFinding(found)] }),
  ];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Objects that count as absent because the API server would refuse them. */
export function refusedCaveats({ world }: CaveatContext): readonly Caveat[] {
  const refused: { readonly id: ObjectId; readonly first: Finding | undefined }[] = [];
  world.refused.forEach(([first], id) => refused.push({ id, first }));
  if (refused.length === 0) return [];
  refused.sort((a, b) => (a.id < b.id ? -1 : 1));
  const summary = refused.length === 1 ? "1 object is left out" : `${refused.length} objects are left out`;
  const names = refused.map(({ id }) => formatRef(parseObjectId(id)));
  return [
    caveat("RefusedObject", {
      message: `${summary}, as the API server would refuse ${refused.length === 1 ? "it" : "them"}: ${listNames(names)}`,
      summary,
      objects: refused.map(({ id, first }) =>
        first === undefined ? { object: id } : { ...positionOfFinding(first), object: id },
      ),
    }),
  ];
}

const positionOfFinding = ({ object, field, source }: Finding): CaveatObject => ({
  ...(object === undefined ? {} : { object }),
  ...(field === undefined ? {} : { field }),
  ...(source === undefined ? {} : { source }),
});
