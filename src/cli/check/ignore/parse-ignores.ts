import type { World } from "../../../core/effective/world/world.ts";
import { parseTargetText } from "../../../core/explain/find-objects.ts";
import { findKinds, kindWords } from "../../../core/explain/kind-words.ts";
import type { Finding } from "../../../core/model/finding.ts";
import { kindId, type ObjectRef, parseObjectId } from "../../../core/model/refs.ts";
import { didYouMean } from "../../../core/model/words/did-you-mean.ts";
import type { Option } from "../../args/option.ts";
import { findCode } from "../find-code.ts";

export const ignoreOption: Option = {
  name: "ignore",
  value: "CODE[=KIND/NAME]",
  list: true,
  help: "ignore the findings with this code, or only those about one object: NeverTakesEffect=retrypolicy/baker-retries (repeatable, or a list)",
};

/** One value of `--ignore`. */
export interface Ignore {
  /** The text as it was written, for messages. */
  readonly text: string;
  readonly matches: (finding: Finding) => boolean;
}

export type ParsedIgnores =
  | { readonly ok: true; readonly ignores: readonly Ignore[] }
  | { readonly ok: false; readonly message: string; readonly hints: readonly string[] };

/** The object does not have to exist: a command line in a pipeline outlives the objects that it names. */
export function parseIgnores(texts: readonly string[], world: World): ParsedIgnores {
  const ignores: Ignore[] = [];
  for (const text of texts) {
    const equals = text.indexOf("=");
    const search = findCode(equals === -1 ? text : text.slice(0, equals));
    if (!search.ok) return { ok: false, message: `--ignore: ${search.message}`, hints: [search.hint] };
    const { code } = search;
    const about = equals === -1 ? undefined : parseObject(text.slice(equals + 1), world);
    if (typeof about === "string") return { ok: false, message: `--ignore ${text}: ${about}`, hints: [] };
    ignores.push({
      text,
      matches: (finding) =>
        finding.code === code &&
        (about === undefined || (finding.object !== undefined && about(parseObjectId(finding.object)))),
    });
  }
  return { ok: true, ignores };
}

/** A function that is true for the object that `KIND/NAME` or `KIND/NAMESPACE/NAME` names. A text: why it names none. */
function parseObject(text: string, world: World): ((ref: ObjectRef) => boolean) | string {
  const named = parseTargetText(text);
  if (named === undefined || named.namespace === "") return `'${text}' is not written KIND/NAME or KIND/NAMESPACE/NAME`;
  if (named.sectionName !== undefined) return "findings are ignored for a whole object; leave out the section";
  const words = kindWords(world);
  const kinds = new Set(findKinds(words, named.kind).map((kind) => kindId(kind)));
  if (kinds.size === 0) {
    const known = words.flatMap((kind) => kind.words);
    return `unknown kind '${named.kind}'${didYouMean(named.kind.split(".")[0] ?? named.kind, known)}`;
  }
  return (ref) =>
    kinds.has(kindId(ref)) &&
    ref.name === named.name &&
    (named.namespace === undefined || ref.namespace === named.namespace);
}
