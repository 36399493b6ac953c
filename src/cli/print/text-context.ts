import type { Caveat } from "../../core/caveats/caveat.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import type { Printer } from "./terminal/create-printer.ts";

/** Everything a text renderer needs: a printer, the data and the redaction rules. */
export interface TextContext {
  readonly print: Printer;
  readonly source: LoadedSource;
  readonly redaction: Redaction;
  /** Facts that the answer leaves out of account. */
  readonly caveats: readonly Caveat[];
  /** `-o wide`: print every path, and the merge step of each value. */
  readonly wide: boolean;
  /** `--all-paths`: print each path on its own, also if paths have the same outcome. */
  readonly allPaths: boolean;
  /** The time, for ages. */
  readonly nowMs?: number;
}
