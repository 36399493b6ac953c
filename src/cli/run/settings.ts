/** The checked settings of `run`. The process that starts the program serves: the command line itself opens no ports. */
import { parseDurationMs } from "../../core/model/parse/parse-duration.ts";
import type { OptionValues } from "../args/option.ts";
import { parsePort, parsePortMap } from "../args/parse-port.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Printer } from "../print/create-printer.ts";

export interface ServeSettings {
  readonly paths: readonly string[];
  readonly defaultNamespace: string | undefined;
  /** The address at which ports are opened. */
  readonly bind: string;
  /** Where a port of the configuration is really opened, if elsewhere. */
  readonly portMap: ReadonlyMap<number, number>;
  /** On the loopback; undefined: none. */
  readonly adminPort: number | undefined;
  readonly accessLog: "text" | "json" | undefined;
  readonly hasDebugHeaders: boolean;
  readonly hasDemoBackends: boolean;
  readonly isWatching: boolean;
  readonly drainMs: number;
  /** The data plane: this program, or an Envoy that it starts. */
  readonly dataplane: "embedded" | "envoy";
  /** The binary; undefined: the one on the PATH. */
  readonly envoyPath: string | undefined;
}

/** Prints messages while serving, as in the context of a command. */
export interface ServeOutput {
  /** Standard output, for the access log. */
  readonly write: (text: string) => void;
  readonly tell: Printer;
  readonly note: (message: string) => void;
  readonly fail: (message: string, ...hints: readonly string[]) => ExitCode;
}

export const DEFAULT_GATEWAY_ADDRESS = "127.0.0.1";
export const DEFAULT_ADMIN_PORT = 9902;
export const DEFAULT_DRAIN = "10s";

/** A text: what is wrong with the options. */
export function parseServeSettings(options: OptionValues): ServeSettings | string {
  const paths = options.values("filename");
  const portMap = parsePortMap(options.values("map-port"));
  if (typeof portMap === "string") return portMap;
  const admin = options.value("admin-port") ?? String(DEFAULT_ADMIN_PORT);
  const adminPort = admin === "off" ? undefined : parsePort(admin);
  if (admin !== "off" && adminPort === undefined) {
    return `--admin-port is '${admin}': give a port number (0: any that is free), or 'off'`;
  }
  const drain = options.value("drain") ?? DEFAULT_DRAIN;
  const drainMs = parseDurationMs(drain);
  if (drainMs === undefined) return `--drain is '${drain}': give a duration such as 500ms, 10s or 1m`;
  const envoyPath = options.value("envoy");
  const accessLog = options.value("access-log") ?? "text";
  const dataplane = options.value("dataplane") === "envoy" || envoyPath !== undefined ? "envoy" : "embedded";
  if (dataplane === "envoy" && options.has("debug-headers")) {
    return "--debug-headers is for the embedded gateway: Envoy cannot tell in a header how often it tried. The access log says it";
  }
  return {
    paths,
    defaultNamespace: options.value("default-namespace"),
    bind: options.value("bind") ?? DEFAULT_GATEWAY_ADDRESS,
    portMap,
    adminPort,
    accessLog: accessLog === "text" || accessLog === "json" ? accessLog : undefined,
    hasDebugHeaders: options.has("debug-headers"),
    hasDemoBackends: options.has("backend-demo"),
    isWatching: !options.has("no-watch"),
    drainMs,
    dataplane,
    envoyPath,
  };
}
