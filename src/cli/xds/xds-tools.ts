/** The functions of the xDS part that the command line uses. The entry point loads it on demand. */
import type { ConfigProblem, DataplaneConfig, GatewayConfig } from "../../core/dataplane/gateway-config.ts";
import type { XdsAddress } from "../../core/envoy/xds-address.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { ServeOutput, ServeSettings } from "../run/settings.ts";

export interface XdsTools {
  /** The complete configuration of one gateway, for `envoy -c`. */
  readonly dump: (gateway: GatewayConfig, config: DataplaneConfig, settings: DumpSettings) => XdsDump;
  /** Serves Envoys until a signal stops it. */
  readonly serve: (settings: XdsServeSettings, output: ServeOutput) => Promise<ExitCode>;
  /** The Envoys of the server on this machine, or an error message. */
  readonly status: (port: number) => Promise<readonly XdsNode[] | string>;
  /** The bootstrap of an Envoy that gets everything else from an xDS server. */
  readonly bootstrap: (settings: BootstrapSettings) => object;
}

export interface XdsDump {
  readonly bootstrap: object;
  /** The settings that Envoy does not support exactly. */
  readonly problems: readonly ConfigProblem[];
}

export interface DumpSettings {
  /** The address that ports are opened on. */
  readonly bind: string;
  /** From a listener port to the port that is opened for it. */
  readonly portMap: ReadonlyMap<number, number>;
  /** The admin port of Envoy on the loopback. Undefined: none. */
  readonly adminPort: number | undefined;
  /** The memory of the Envoy. */
  readonly heapMib: number;
  /** The folder that Envoy reads key material from. Key material is never printed. */
  readonly secretsFolder: string;
  /** The file with the system's CA certificates, on the machine of the Envoy. */
  readonly systemAuthorities: string;
  readonly timer: EnvoyTimer;
  /** The number of trusted proxies in front of Envoy. */
  readonly trustedHops: number;
}

/** `precise` if Envoy runs with EVENT_PRECISE_TIMER=1. Without it, timers fire up to five milliseconds early. */
export type EnvoyTimer = "precise" | "coarse";

/** The files and watch settings, as in `run`. */
export interface XdsServeSettings
  extends Pick<ServeSettings, "paths" | "defaultNamespace" | "completeness" | "isWatching">,
    Omit<DumpSettings, "adminPort" | "heapMib" | "secretsFolder"> {
  /** The address of the xDS server. */
  readonly listen: XdsAddress;
  /** The port for `xds status`, on the loopback. */
  readonly statusPort: number;
  /** The files of the server's TLS settings. Undefined: plain text, on the loopback only. */
  readonly serverTls:
    | { readonly certificateFile: string; readonly keyFile: string; readonly authorityFile: string }
    | undefined;
}

/** The state of one Envoy at its server. */
export interface XdsNode {
  readonly node: string;
  readonly gateway: string;
  /** True if it has accepted its whole configuration. */
  readonly isSettled: boolean;
  readonly waitingFor: readonly string[];
  readonly refusals: ReadonlyArray<{ readonly type: string; readonly name: string; readonly reason: string }>;
}

export interface BootstrapSettings {
  readonly node: string;
  /** `namespace/name`. */
  readonly gateway: string;
  readonly server: XdsAddress;
  readonly adminPort: number | undefined;
  /** The memory of the Envoy. */
  readonly heapMib: number;
  /** TLS files on the machine of the Envoy. Undefined: plain text. */
  readonly tls:
    | {
        readonly certificateFile: string;
        readonly keyFile: string;
        readonly authorityFile: string;
        readonly serverName: string;
      }
    | undefined;
}
