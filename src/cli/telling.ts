import type { Printer } from "./create-printer.ts";
import type { Source } from "./load-source.ts";
import type { Redaction } from "./redaction.ts";

/** What whoever tells a story needs: a voice, the facts, and what must not be told. */
export interface Telling {
  readonly print: Printer;
  readonly source: Source;
  readonly redaction: Redaction;
  /** `-o wide`: every path, and the step that decided each value. */
  readonly wide: boolean;
  /** `--all-paths`: path by path, also where paths have the same outcome. */
  readonly allPaths: boolean;
}
