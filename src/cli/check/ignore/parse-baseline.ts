import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../../core/model/json.ts";
import type { ObjectRef } from "../../../core/model/refs.ts";
import type { Baseline, BaselineEntry } from "./baseline.ts";

export type ParsedBaseline =
  | { readonly ok: true; readonly baseline: Baseline }
  /** The problem, without the name of the file. */
  | { readonly ok: false; readonly message: string };

const HOW = "write a new one with --write-baseline";

/** Parses the text that `formatBaseline` writes. Unknown codes are kept: an older or a newer version may know them. */
export function parseBaseline(text: string): ParsedBaseline {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return { ok: false, message: `is not JSON (${error instanceof Error ? error.message : String(error)}); ${HOW}` };
  }
  if (!isJsonObject(document) || !isJsonList(document["findings"]))
    return { ok: false, message: `is not a baseline: it has no list 'findings'; ${HOW}` };
  if (document["version"] !== 1)
    return { ok: false, message: `has version ${JSON.stringify(document["version"])}; this program reads version 1` };
  const findings: BaselineEntry[] = [];
  for (const [index, value] of document["findings"].entries()) {
    const entry = parseEntry(value);
    if (typeof entry === "string") return { ok: false, message: `findings[${index}]: ${entry}` };
    findings.push(entry);
  }
  const { dataplane } = document;
  return { ok: true, baseline: { ...(typeof dataplane === "string" ? { dataplane } : {}), findings } };
}

function parseEntry(value: Json): BaselineEntry | string {
  if (!isJsonObject(value)) return "is not an object";
  const { code, count = 1 } = value;
  if (typeof code !== "string") return "'code' is not a string";
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1)
    return "'count' is not a number of at least 1";
  const object = parseRef(ownValue(value, "object"));
  if (object === "invalid") return "'object' needs a kind and a name";
  const texts: Partial<Record<"field" | "rule" | "file", string>> = {};
  for (const key of ["field", "rule", "file"] as const) {
    const text = ownValue(value, key);
    if (text !== undefined && typeof text !== "string") return `'${key}' is not a string`;
    if (text !== undefined) texts[key] = text;
  }
  return { code, ...(object === undefined ? {} : { object }), ...texts, count };
}

function parseRef(value: Json | undefined): ObjectRef | "invalid" | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) return "invalid";
  const { kind, name } = value;
  if (typeof kind !== "string" || typeof name !== "string") return "invalid";
  return { group: textOf(value, "group"), kind, namespace: textOf(value, "namespace"), name };
}

function textOf(value: JsonObject, key: string): string {
  const text = ownValue(value, key);
  return typeof text === "string" ? text : "";
}
