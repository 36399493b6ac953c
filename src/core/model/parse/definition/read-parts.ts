/** Reads `spec.parts` of a PolicyDefinition. */
import { hasNoBlocks } from "../../block-names.ts";
import type { DefinitionPart, MergeRules, ReservedWords } from "../../definition.ts";
import { isJsonObject, type JsonObject, objectAt, ownValue } from "../../json.ts";
import { choices } from "../../schema/own-kinds/definition-schema.ts";
import { list, objects, text, texts } from "../../schema/read-fields.ts";
import { checkPath, type DefinitionProblem, type KindReader, readLevel } from "./read-definition-kinds.ts";
import { readMerge } from "./read-merge.ts";

/** `merge`: that of the kind. */
export function readParts(spec: JsonObject, merge: MergeRules, reader: KindReader): readonly DefinitionPart[] {
  return objects(spec, "parts").map((item, i): DefinitionPart => {
    const field = `spec.parts[${i}]`;
    const paths = texts(item, "paths");
    paths.forEach((path, at) => checkPath(path, `${field}.paths[${at}]`, reader.problems));
    const levels = (key: string) => list(item, key).map((one, at) => readLevel(one, `${field}.${key}[${at}]`, reader));
    const [targets, effectiveTargets] = [levels("targets"), levels("effectiveTargets")];
    const own = ownValue(item, "merge");
    const governs = choices.governs.find((one) => one === item["governs"]);
    return {
      name: text(item, "name", ""),
      paths,
      ...(targets.length === 0 ? {} : { targets }),
      ...(effectiveTargets.length === 0 ? {} : { effectiveTargets }),
      ...(isJsonObject(own)
        ? { merge: readPartMerge(own, objectAt(spec, "merge"), merge, `${field}.merge`, reader) }
        : {}),
      ...(governs === undefined ? {} : { governs }),
    };
  });
}

/** The rules of a part: its own fields, and those of the kind for the others. */
function readPartMerge(
  own: JsonObject,
  ofKind: JsonObject,
  kindRules: MergeRules,
  field: string,
  { problems, known }: KindReader,
): MergeRules {
  const found: DefinitionProblem[] = [];
  const isInherited = (key: string): boolean =>
    own["strategy"] === "Accumulate" ? key === "atomicPaths" : key !== "strategy";
  const inherited = Object.fromEntries(Object.entries(ofKind).filter(([key]) => isInherited(key)));
  const granularity = isJsonObject(own["granularity"])
    ? { granularity: { ...objectAt(inherited, "granularity"), ...own["granularity"] } }
    : {};
  const written = { ...inherited, ...own, ...granularity };
  const read = readMerge(written, { direct: false }, { problems: found, known });
  // Problems of inherited fields are reported where they are.
  for (const problem of found.filter(({ field: at }) => isOwn(at, own)))
    problems.push({
      ...problem,
      field: problem.field.replace("spec.merge", field),
      message: problem.message.replaceAll("spec.merge", field),
    });
  return { ...read, ...(kindRules.precedence && { precedence: kindRules.precedence }), words: NO_WORDS };
}

const isOwn = (field: string, own: JsonObject): boolean =>
  ownValue(own, field.replace("spec.merge.", "").split(/[.[]/)[0] ?? "") !== undefined;

/** Kinds with parts have no fields but settings: what a block removes, or when it takes effect, would be about all parts. */
const NO_WORDS: ReservedWords = { defaults: [], overrides: [], when: [], remove: [] };

/** The rules of a kind with parts. `spec`: that of its definition. */
export function withoutBlocks(merge: MergeRules, spec: JsonObject, problems: DefinitionProblem[]): MergeRules {
  if (hasNoBlocks(merge)) return merge;
  const words = objectAt(objectAt(spec, "merge"), "words");
  for (const key of Object.keys(words).filter((name) => texts(words, name).length > 0)) {
    const field = `spec.merge.words.${key}`;
    const message = `${field} is ${texts(words, key).join(", ")}, but the policies of a kind with parts have no blocks, conditions and removals. Leave out the words, or spec.parts.`;
    problems.push({ code: "Misplaced", field, message });
  }
  return { ...merge, words: NO_WORDS };
}
