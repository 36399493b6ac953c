/** What the command line needs of the xDS part. The entry point loads it on demand. */
import type { ConfigProblem, DataplaneConfig, GatewayConfig } from "../../core/dataplane/gateway-config.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { ServeOutput, ServeSettings } from "../run/settings.ts";

export interface XdsTools {
  /** One gateway in one piece: a bootstrap that an Envoy can be started with. */
  readonly dump: (gateway: GatewayConfig, config: DataplaneConfig, settings: DumpSettings) => XdsDump;
  /** Serves Envoys until it is told to stop. */
  readonly serve: (settings: XdsServeSettings, output: ServeOutput) => Promise<ExitCode>;
  /** What a server on this machine says of its Envoys; a text: why it says nothing. */
  readonly status: (port: number) => Promise<readonly XdsNode[] | string>;
  /** What an Envoy is started with that asks a server for all else. */
  readonly bootstrap: (settings: BootstrapSettings) => object;
}

export interface XdsDump {
  readonly bootstrap: object;
  /** What Envoy does otherwise than the configuration says. */
  readonly problems: readonly ConfigProblem[];
}

export interface DumpSettings {
  /** The address at which ports are opened. */
  readonly bind: string;
  /** Where a port of the configuration is really opened, if elsewhere. */
  readonly portMap: ReadonlyMap<number, number>;
  /** The admin port of Envoy on the loopback. Undefined: none. */
  readonly adminPort: number | undefined;
  /** Where Envoy finds key material: it is never printed. */
  readonly secretsFolder: string;
  /** The file with whom the system trusts, on the machine of the Envoy. */
  readonly systemAuthorities: string;
  readonly timer: EnvoyTimer;
}

/** Whether Envoy runs with EVENT_PRECISE_TIMER=1; without it timers fire up to five milliseconds early. */
export type EnvoyTimer = "precise" | "coarse";

/** Where the files are, and how they are followed, as `run` does it. */
export interface XdsServeSettings
  extends Pick<ServeSettings, "paths" | "defaultNamespace" | "isWatching">,
    Omit<DumpSettings, "adminPort" | "secretsFolder"> {
  /** Where Envoys ask. */
  readonly listen: { readonly host: string; readonly port: number };
  /** For `xds status`, on the loopback. */
  readonly statusPort: number;
  /** Files; undefined: plain text, on the loopback only. */
  readonly serverTls:
    | { readonly certificateFile: string; readonly keyFile: string; readonly authorityFile: string }
    | undefined;
}

/** One Envoy, as its server sees it. */
export interface XdsNode {
  readonly node: string;
  readonly gateway: string;
  /** It has taken all that it is to have. */
  readonly isSettled: boolean;
  readonly waitingFor: readonly string[];
  readonly refusals: ReadonlyArray<{ readonly type: string; readonly name: string; readonly reason: string }>;
}

export interface BootstrapSettings {
  readonly node: string;
  /** `namespace/name`. */
  readonly gateway: string;
  readonly server: { readonly host: string; readonly port: number };
  readonly adminPort: number | undefined;
  /** Files on the machine of that Envoy; undefined: plain text. */
  readonly tls:
    | {
        readonly certificateFile: string;
        readonly keyFile: string;
        readonly authorityFile: string;
        readonly serverName: string;
      }
    | undefined;
}
