/** Caveats about input that is not in the evaluation: what could not be read, and what the API server would refuse. */
import { isCrd } from "../effective/findings/ignored-policies.ts";
import type { Finding } from "../model/finding.ts";
import { isByPlaceholders } from "../model/placeholder.ts";
import { formatRef, type ObjectId, type PolicyId, parseObjectId } from "../model/refs.ts";
import { DUPLICATE, LEFT_OUT } from "../model/snapshot.ts";
import { capital } from "../model/words/capital.ts";
import { formatLine } from "../model/words/format-position.ts";
import type { Caveat, CaveatObject } from "./caveat.ts";
import { type CaveatContext, caveat, listNames } from "./caveat-context.ts";
import { touchesAbsent } from "./touched-objects.ts";

/** The number of documents or objects that a message describes. */
const SHOWN_MESSAGES = 5;

/** Files and documents that could not be read, or that define an object twice. They could have been about anything. */
export function unreadableCaveats({ world, scope }: CaveatContext): readonly Caveat[] {
  const unread = [...(scope.unread ?? []), ...world.documentFindings].filter(({ severity }) => severity === "error");
  const [first] = unread;
  if (first === undefined) return [];
  const summary = `${unread.length === 1 ? "1 document" : `${unread.length} documents`} could not be used`;
  const isDuplicate = ({ code }: Finding): boolean => code === DUPLICATE;
  const duplicates = unread.filter(isDuplicate);
  // Each message names two positions and what to do: of several the caveat says that once.
  const listed = duplicates.length > 1 ? unread.filter((finding) => !isDuplicate(finding)) : unread;
  const shown = listed.slice(0, SHOWN_MESSAGES).map((finding) => {
    const { source, message } = finding;
    return `${finding === first || source === undefined ? "" : `${formatLine(source)}: `}${message}`;
  });
  const more = listed.length - shown.length;
  const messages = [
    ...shown,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(duplicates.length > 1 ? [formatDuplicates(duplicates)] : []),
  ];
  return [
    caveat("UnreadableInput", {
      message: `${summary}: ${messages.join("; ")}`,
      summary,
      objects: unread.map(positionOfFinding),
    }),
  ];
}

/** `2 objects are defined several times, …: HTTPRoute default/a (b.yaml:2, c.yaml:2), HTTPRoute default/b (b.yaml:9); …` */
function formatDuplicates(duplicates: readonly Finding[]): string {
  const positions = new Map<ObjectId, string[]>();
  for (const { object, source } of duplicates) {
    if (object === undefined) continue;
    const found = positions.get(object) ?? [];
    positions.set(object, found);
    found.push(source === undefined ? "an unknown position" : formatLine(source));
  }
  const count = positions.size === 1 ? "1 object is" : `${positions.size} objects are`;
  const names = [...positions].map(([id, at]) => `${formatRef(parseObjectId(id))} (${listNames(at)})`);
  return `${count} defined several times, with different content, and these documents are not used: ${listNames(names)}; of each object remove all documents but one`;
}

/** Resources of a cluster that the user may not list. What is in them could be about anything. */
export function unreadableResourceCaveats({ scope }: CaveatContext): readonly Caveat[] {
  const unread = (scope.unread ?? []).filter(
    ({ code, severity }) => code === "UnreadableResource" && severity !== "error",
  );
  if (unread.length === 0) return [];
  const summary = "not all of the cluster could be read";
  return [
    caveat("UnreadableResource", {
      message: `Not all of the cluster could be read. What is missing: ${unread.map(({ message }) => message).join("; ")}`,
      summary,
      objects: [],
    }),
  ];
}

/** Templates and Git LFS pointers in folders: what they would define is not known. */
export const templateCaveats = (context: CaveatContext): readonly Caveat[] =>
  skippedCaveats(context, "UnrenderedTemplate", "templates are not read");
export const lfsPointerCaveats = (context: CaveatContext): readonly Caveat[] =>
  skippedCaveats(context, "LfsPointer", "files of Git LFS are not read");

function skippedCaveats(
  { scope }: CaveatContext,
  code: "UnrenderedTemplate" | "LfsPointer",
  summary: string,
): readonly Caveat[] {
  const found = (scope.unread ?? []).find((finding) => finding.code === code && finding.severity !== "error");
  if (found === undefined) return [];
  return [caveat(code, { message: capital(found.message), summary, objects: [positionOfFinding(found)] })];
}

/** Paths that a comparison with a commit leaves out on both sides. */
export function notInCommitCaveats({ scope }: CaveatContext): readonly Caveat[] {
  const found = (scope.unread ?? []).filter(({ code }) => code === "NotInCommit");
  if (found.length === 0) return [];
  const summary = `${found.length === 1 ? "1 path is" : `${found.length} paths are`} not compared`;
  const names = found.map(({ source, message }) => `${source?.file ?? "a path"} is ${message}`);
  return [caveat("NotInCommit", { message: `${summary} and left out: ${listNames(names)}`, summary })];
}

/** Objects that count as absent because the API server would refuse them, if they could change the answer. */
export function refusedCaveats(context: CaveatContext): readonly Caveat[] {
  const { world } = context;
  const refused: { readonly id: ObjectId; readonly first: Finding | undefined }[] = [];
  // A CRD that is refused is another caveat, which says what depends on it; and so are placeholders.
  world.refused.forEach(({ object, findings }, id) => {
    if (isCrd(object) || isByPlaceholders(findings) || !touchesAbsent(context, object)) return;
    refused.push({ id, first: findings[0] });
  });
  if (refused.length === 0) return [];
  refused.sort((a, b) => (a.id < b.id ? -1 : 1));
  const summary = refused.length === 1 ? "1 object is left out" : `${refused.length} objects are left out`;
  const reasons = refused.slice(0, SHOWN_MESSAGES).map(({ id, first }) => {
    return first === undefined ? formatRef(parseObjectId(id)) : first.message.replace(LEFT_OUT, "");
  });
  const more = refused.length - reasons.length;
  const listed = [...reasons, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  return [
    caveat("RefusedObject", {
      message: `${summary}, as the API server would refuse ${refused.length === 1 ? "it" : "them"}: ${listed}`,
      summary,
      objects: refused.map(({ id, first }) =>
        first === undefined ? { object: id } : { ...positionOfFinding(first), object: id },
      ),
    }),
  ];
}

/** Objects on which a rule of their CRD could not be evaluated: it is not known whether the API server would accept them. */
export function unevaluatedRuleCaveats({ world, related, scope }: CaveatContext): readonly Caveat[] {
  const fields = new Map<ObjectId, string>();
  world.unevaluated.forEach((rules, id) => fields.set(id, rules[0]?.field ?? ""));
  world.policies.forEach(({ findings }, id) => {
    const found = findings.find(({ code }) => code === "SchemaRuleNotEvaluated");
    if (found !== undefined) fields.set(id, found.field ?? "");
  });
  if (fields.size === 0) return [];
  const about = related();
  const kinds =
    scope.about === "Policies" ? new Set(scope.policies.map((id) => world.policies.get(id)?.kind.index)) : undefined;
  const isAbout = (id: ObjectId): boolean => {
    const policy = world.policies.get(id as PolicyId);
    if (policy !== undefined && kinds?.has(policy.kind.index) === false) return false;
    const objects = policy === undefined ? [id] : policy.targets.attachments.map(({ object }) => object);
    return about === undefined || objects.some((object) => about.above.has(object) || about.below.has(object));
  };
  const ids = [...fields.keys()].filter(isAbout).sort();
  if (ids.length === 0) return [];
  const summary = `rules of CRDs could not be evaluated on ${ids.length === 1 ? "1 object" : `${ids.length} objects`}`;
  return [
    caveat("RuleNotEvaluated", {
      message: `${summary}, which the API server may refuse: ${listNames(ids.map((id) => formatRef(parseObjectId(id))))}`,
      summary,
      objects: ids.map((id) => {
        const source = world.objects.get(id)?.source;
        return { object: id, field: fields.get(id) ?? "", ...(source === undefined ? {} : { source }) };
      }),
    }),
  ];
}

const positionOfFinding = ({ object, field, source }: Finding): CaveatObject => ({
  ...(object === undefined ? {} : { object }),
  ...(field === undefined ? {} : { field }),
  ...(source === undefined ? {} : { source }),
});
