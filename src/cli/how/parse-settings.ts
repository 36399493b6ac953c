import { parseDocuments } from "../../adapters/files/parse-documents.ts";
import type { WantedSetting } from "../../core/explain/how/result.ts";
import { isJsonObject, type Json, ownValue } from "../../core/model/json.ts";

export type ParsedSettings =
  | { readonly ok: true; readonly words: readonly string[]; readonly wanted: readonly WantedSetting[] }
  | { readonly ok: false; readonly message: string; readonly hints: readonly string[] };

/**
 * Splits the arguments into the words of the target and the wanted settings: `retry.attempts=0` sets a value, `retry.attempts-` removes it,
 * as labels of kubectl. No name of an object ends with a dash or has an equals sign.
 */
export function parseSettings(args: readonly string[]): ParsedSettings {
  const words: string[] = [];
  const wanted: WantedSetting[] = [];
  for (const arg of args) {
    const equals = arg.indexOf("=");
    if (equals === -1 && !arg.endsWith("-")) {
      words.push(arg);
      continue;
    }
    const path = equals === -1 ? arg.slice(0, -1) : arg.slice(0, equals);
    if (equals === -1) {
      wanted.push({ path });
      continue;
    }
    const text = arg.slice(equals + 1);
    if (text.trim() === "")
      return refuse(`${path}= has no value`, `To remove the setting: ${path}-; for an empty text: ${path}='""'.`);
    const value = parseValue(text);
    if (value === undefined)
      return refuse(
        `the value of ${path} is not YAML on one line: ${text}`,
        "Values are written as in a manifest: 0, true, 100ms, '[502, 503]', '{requests: 100, window: 1m}'.",
      );
    wanted.push({ path, value });
  }
  return { ok: true, words, wanted };
}

const refuse = (message: string, hint: string): ParsedSettings => ({ ok: false, message, hints: [hint] });

/** A scalar, list or map in YAML's flow style, or in JSON. Undefined if the text is none of these. */
function parseValue(text: string): Json | undefined {
  if (/[\r\n]/.test(text)) return undefined;
  const { documents, findings } = parseDocuments(`value: ${text}\n`, "the value");
  const [document, ...others] = documents;
  const value = document?.value;
  if (others.length > 0 || findings.some(({ severity }) => severity === "error") || !isJsonObject(value))
    return undefined;
  return ownValue(value, "value");
}
