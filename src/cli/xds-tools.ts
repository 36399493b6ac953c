/** What the command line asks of the part that speaks to Envoys. It is loaded only then, by whoever starts the program. */
import type { ConfigProblem, DataplaneConfig, GatewayConfig } from "../core/dataplane/gateway-config.ts";

export interface XdsTools {
  /** One gateway in one piece: a bootstrap that an Envoy can be started with. */
  readonly dump: (gateway: GatewayConfig, config: DataplaneConfig, settings: DumpSettings) => XdsDump;
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
  /** Of Envoy itself, on the loopback; undefined: none. */
  readonly adminPort: number | undefined;
  /** Where Envoy finds key material: it is never printed. */
  readonly secretsFolder: string;
  /** The file with whom the system trusts, on the machine of the Envoy. */
  readonly systemAuthorities: string;
  readonly timer: EnvoyTimer;
}

/** Whether Envoy runs with EVENT_PRECISE_TIMER=1; without it timers fire up to five milliseconds early. */
export type EnvoyTimer = "precise" | "coarse";

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
