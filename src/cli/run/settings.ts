/** The checked options of `run`. The command line opens no ports itself: it passes these settings to `CliIo.serve`. */
import type { Completeness } from "../../core/model/completeness.ts";
import { parseDurationMs } from "../../core/model/parse/parse-duration.ts";
import { parseEnvoyHeap } from "../args/envoy-heap.ts";
import type { OptionValues } from "../args/option.ts";
import { parsePort, parsePortMap } from "../args/parse-port.ts";
import { parseTrustedHops } from "../args/trusted-hops.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Printer } from "../print/terminal/create-printer.ts";

export interface ServeSettings {
  readonly paths: readonly string[];
  readonly defaultNamespace: string | undefined;
  /** `--complete`: the files are everything there is. */
  readonly completeness: Completeness;
  /** The address that ports are opened on. */
  readonly bind: string;
  /** From a listener port to the port that is opened for it. */
  readonly portMap: ReadonlyMap<number, number>;
  /** The admin port, on the loopback. Undefined if there is none. */
  readonly adminPort: number | undefined;
  readonly accessLog: "text" | "json" | undefined;
  readonly hasDebugHeaders: boolean;
  readonly hasDemoBackends: boolean;
  readonly isWatching: boolean;
  readonly drainMs: number;
  /** The number of trusted proxies in front of the gateway. */
  readonly trustedHops: number;
  /** The data plane: this program, or Envoys that it starts. */
  readonly dataplane: "embedded" | "envoy";
  /** The path of the Envoy binary. Undefined: `envoy` on the PATH. */
  readonly envoyPath: string | undefined;
  /** The memory of each Envoy. */
  readonly heapMib: number;
}

/** The output of a running server. The members have the meaning that they have in `CommandContext`. */
export interface ServeOutput {
  /** Standard output, for the access log. */
  readonly write: (text: string) => void;
  readonly errorPrint: Printer;
  readonly note: (message: string) => void;
  readonly fail: (message: string, ...hints: readonly string[]) => ExitCode;
}

export const DEFAULT_GATEWAY_ADDRESS = "127.0.0.1";
export const DEFAULT_ADMIN_PORT = 9902;
export const DEFAULT_DRAIN = "10s";

/** Returns the settings, or an error message. */
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
  const trustedHops = parseTrustedHops(options);
  if (typeof trustedHops === "string") return trustedHops;
  const heapMib = parseEnvoyHeap(options);
  if (typeof heapMib === "string") return heapMib;
  const envoyPath = options.value("envoy");
  const accessLog = options.value("access-log") ?? "text";
  const dataplane = options.value("dataplane") === "envoy" || envoyPath !== undefined ? "envoy" : "embedded";
  if (dataplane === "envoy" && options.has("debug-headers")) {
    return "--debug-headers requires the embedded gateway: Envoy cannot add the number of attempts to a response. The access log has it";
  }
  return {
    paths,
    defaultNamespace: options.value("default-namespace"),
    completeness: options.has("complete") ? "Complete" : "Partial",
    bind: options.value("bind") ?? DEFAULT_GATEWAY_ADDRESS,
    portMap,
    adminPort,
    accessLog: accessLog === "text" || accessLog === "json" ? accessLog : undefined,
    hasDebugHeaders: options.has("debug-headers"),
    hasDemoBackends: options.has("backend-demo"),
    isWatching: !options.has("no-watch"),
    drainMs,
    trustedHops,
    dataplane,
    envoyPath,
    heapMib,
  };
}
