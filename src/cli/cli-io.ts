import type { FileSystem } from "../adapters/files/file-system.ts";
import type { Git } from "../adapters/git/git.ts";
import type { Json } from "../core/model/json.ts";
import type { ControllerSettings } from "./controller/settings.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { ServeOutput, ServeSettings } from "./run/settings.ts";
import type { XdsTools } from "./xds/xds-tools.ts";

/** The interface of the command line to the outside world. `src/serve/process` implements it for the process; tests have their own. */
export interface CliIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** The width of the terminal. Undefined: a pipe or a file, where lines are not cut. */
  readonly columns: number | undefined;
  /** True for a stream that is a terminal. */
  readonly isTerminal: { readonly stdout: boolean; readonly stderr: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fileSystem: FileSystem;
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /** The directory that relative paths are relative to. */
  readonly workingDirectory: string;
  /** Loads the git program. */
  readonly git: () => Promise<Git>;
  /** The time in milliseconds, for progress, ages and the times of changes that are followed. */
  readonly now: () => number;
  readonly version: () => string;
  /** The path of the bakery example, for use on the command line. */
  readonly bakery: () => Promise<string>;
  /** The name of the program as it was called: `prevail` or `kubectl prevail`. */
  readonly program: string;
  /** Loads the Envoy tools. */
  readonly xds: () => Promise<XdsTools>;
  /** Asks the admin port of a gateway for a page in JSON. */
  readonly askAdmin: (address: AdminAddress, page: string) => Promise<AdminAnswer>;
  /** Aborted when the user ends a command that goes on (Ctrl-C), or the reader of its output has closed the pipe. */
  readonly untilEnded: () => AbortSignal;
  /** Loads the controller, which runs until a signal stops it. */
  readonly controller: () => Promise<(settings: ControllerSettings, output: ServeOutput) => Promise<ExitCode>>;
  /** Runs a gateway until a signal stops it. */
  readonly serve: (settings: ServeSettings, output: ServeOutput) => Promise<ExitCode>;
}

export interface AdminAddress {
  readonly host: string;
  readonly port: number;
}

/** A page, or the reason why there is none, as a clause. */
export type AdminAnswer = { readonly ok: true; readonly page: Json } | { readonly ok: false; readonly reason: string };
