import type { Json } from "../../core/model/json.ts";
import { followPath, formatResult } from "./evaluate-template.ts";
import { type JsonPathStep, type Parsed, refuse } from "./json-path.ts";
import { parsePath } from "./parse-steps.ts";
import { splitOutside } from "./scan-text.ts";

export interface CustomColumn {
  readonly header: string;
  readonly path: readonly JsonPathStep[];
}

const FORM = "write HEADER:PATH,…, such as NAME:.metadata.name,HOSTS:.spec.hostnames[*]";

/** Parses `NAME:.metadata.name,HOSTS:.spec.hostnames[*]`. */
export function parseCustomColumns(spec: string): Parsed<readonly CustomColumn[]> {
  if (spec.trim() === "") return refuse(`there are no columns; ${FORM}`);
  return parseEach(
    splitOutside(spec).map((part) => {
      const colon = part.indexOf(":");
      return { header: part.slice(0, Math.max(colon, 0)).trim(), path: part.slice(colon + 1).trim() };
    }),
  );
}

/** Parses a file for `custom-columns-file`: a line of headers and a line of paths, both separated by spaces. */
export function parseCustomColumnsFile(text: string): Parsed<readonly CustomColumn[]> {
  const [headers = [], paths = [], ...more] = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => line.trim().split(/\s+/));
  if (headers.length === 0 || headers.length !== paths.length || more.length > 0)
    return refuse("a file of columns has a line of headers and a line with as many paths");
  return parseEach(headers.map((header, index) => ({ header, path: paths[index] ?? "" })));
}

function parseEach(
  written: readonly { readonly header: string; readonly path: string }[],
): Parsed<readonly CustomColumn[]> {
  const columns: CustomColumn[] = [];
  for (const { header, path } of written) {
    if (header === "" || path === "") return refuse(`the column '${header}${path}' lacks a header or a path; ${FORM}`);
    const parsed = parsePath(path);
    if (!parsed.ok) return refuse(`column ${header}: ${parsed.message}`);
    columns.push({ header, path: parsed.value });
  }
  return { ok: true, value: columns };
}

/** The cells of one item. Several values are separated by commas; `<none>` stands for none. */
export function cellsOf(columns: readonly CustomColumn[], item: Json): Parsed<readonly string[]> {
  const cells: string[] = [];
  for (const { header, path } of columns) {
    const found = followPath(path, item);
    if (!found.ok) return refuse(`column ${header}: ${found.message}`);
    cells.push(found.values.length === 0 ? "<none>" : found.values.map(formatResult).join(","));
  }
  return { ok: true, value: cells };
}
