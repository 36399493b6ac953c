import { parseArgs } from "node:util";

export interface Options {
  /** The bench to run. Without a name the benches are listed. */
  readonly name?: string;
  readonly sizes?: readonly number[];
  /** The parts of the bench to run. Absent: all. */
  readonly parts?: readonly string[];
  readonly json: boolean;
  readonly strict: boolean;
}

export type ParsedOptions =
  | { readonly state: "parsed"; readonly options: Options }
  | { readonly state: "invalid"; readonly message: string };

export const usage = "usage: npm run bench -- NAME [--json] [--sizes 100,1000] [--parts one,two] [--strict]";

export function parseOptions(args: readonly string[]): ParsedOptions {
  const parsed = parseFlags(args);
  if (typeof parsed === "string") return invalid(parsed);
  const { values, positionals } = parsed;
  const [name, ...rest] = positionals;
  if (rest.length > 0) return invalid(`one bench at a time; found also ${rest.join(", ")}`);
  const sizes = values.sizes === undefined ? undefined : parseSizes(values.sizes);
  if (sizes === null) return invalid(`--sizes takes whole numbers above 0, like 100,1000; found "${values.sizes}"`);
  return {
    state: "parsed",
    options: {
      ...(name === undefined ? {} : { name }),
      ...(sizes === undefined ? {} : { sizes }),
      ...(values.parts === undefined ? {} : { parts: values.parts.split(",").map((part) => part.trim()) }),
      json: values.json,
      strict: values.strict,
    },
  };
}

interface Flags {
  readonly values: {
    readonly json: boolean;
    readonly strict: boolean;
    readonly sizes?: string;
    readonly parts?: string;
  };
  readonly positionals: readonly string[];
}

function parseFlags(args: readonly string[]): Flags | string {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        strict: { type: "boolean", default: false },
        sizes: { type: "string" },
        parts: { type: "string" },
      },
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function parseSizes(text: string): readonly number[] | null {
  const sizes = text.split(",").map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : 0));
  return sizes.every((size) => Number.isSafeInteger(size) && size > 0) ? sizes : null;
}

function invalid(message: string): ParsedOptions {
  return { state: "invalid", message };
}
