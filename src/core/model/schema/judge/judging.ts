import type { MatchRegex } from "../../regex.ts";
import { type SchemaBook, schemaBook } from "../crd-schemas.ts";

/** How objects are judged: by which schemas, and with which tools. */
export interface Judging {
  readonly schemas: SchemaBook;
  readonly matchRegex: MatchRegex | undefined;
  /** True if an API server has accepted the objects: rules are not evaluated again. */
  readonly validated: boolean;
}

/** Judges by the built-in schemas only. */
export const builtInJudging = (): Judging => ({ schemas: schemaBook([]), matchRegex: undefined, validated: false });
