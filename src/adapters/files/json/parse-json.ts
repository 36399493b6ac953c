import type { Json } from "../../../core/model/json.ts";
import { type JsonScan, scanJson } from "./scan-json.ts";

export interface ParsedJson {
  readonly value: Json;
  readonly end: number;
}

/**
 * The fast way for JSON text: `JSON.parse`, if nothing in it needs a finding. Undefined sends the caller to the YAML
 * reader, which accepts JSON too and says where a duplicate key, an inexact number or a syntax error is.
 */
export function parseJson(text: string, start: number, limit: number, maxDepth: number): ParsedJson | undefined {
  const scan = scanJson(text, start, limit);
  if (scan === undefined || scan.depth > maxDepth || scan.hasLongNumber) return undefined;
  const value = parseOrUndefined(text.slice(start, scan.end));
  return value !== undefined && isFaithful(value, scan) ? { value, end: scan.end } : undefined;
}

function parseOrUndefined(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** `JSON.parse` drops all but the last of equal keys, and reads 1e999 as infinity. */
function isFaithful(value: Json, scan: JsonScan): boolean {
  const tally = { members: 0, isFinite: true };
  count(value, tally);
  return tally.isFinite && tally.members === scan.members;
}

function count(value: Json, tally: { members: number; isFinite: boolean }): void {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) tally.isFinite = false;
  } else if (typeof value === "object" && value !== null) {
    const children = Object.values(value);
    if (!Array.isArray(value)) tally.members += children.length;
    for (const child of children) count(child, tally);
  }
}
