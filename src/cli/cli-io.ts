import type { FileSystem } from "../adapters/files/file-system.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { ServeOutput, ServeSettings } from "./run/settings.ts";
import type { XdsTools } from "./xds/xds-tools.ts";

/** Everything that the command line has of the outside world. `src/bin` makes one of the process, tests make their own. */
export interface CliIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** The width of the terminal. Undefined: a pipe or a file, where lines are not cut. */
  readonly columns: number | undefined;
  /** Whether a person sees what is written to each. */
  readonly isTerminal: { readonly stdout: boolean; readonly stderr: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fileSystem: FileSystem;
  /** Milliseconds, for progress only. */
  readonly now: () => number;
  readonly version: () => string;
  /** Where the example is, as people here can type it. */
  readonly bakery: () => Promise<string>;
  /** What people typed to get here: `prevail`, or `kubectl prevail`. */
  readonly program: string;
  /** Loads what is known of Envoy. */
  readonly xds: () => Promise<XdsTools>;
  /** Runs a gateway until it is told to stop. */
  readonly serve: (settings: ServeSettings, output: ServeOutput) => Promise<ExitCode>;
}
