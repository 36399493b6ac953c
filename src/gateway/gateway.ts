/**
 * The embedded gateway: opens the ports that a configuration describes, and serves them. A new configuration takes the place of the one before
 * in one step: requests under way end as they began, and all later ones see the new one.
 */
import type { DataplaneConfig } from "../core/dataplane/gateway-config.ts";
import type { MatchRegex } from "../core/model/regex.ts";
import type { ObjectRef } from "../core/model/refs.ts";
import type { GatewayClock } from "./gateway-clock.ts";
import type { GatewayEvent } from "./gateway-event.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import type { SecretSource } from "./secret-source.ts";

export interface GatewayOptions {
  /** Must take time linear in the text: patterns are written by tenants, and texts by anybody. */
  readonly matchRegex: MatchRegex;
  /** Where a port of the configuration is opened. Port 0: any that is free. By default the same port on all addresses. */
  readonly bind?: (gateway: ObjectRef, port: number) => BindAddress;
  /** Called as things happen, in between requests: it must return at once and never throw. */
  readonly onEvent?: (event: GatewayEvent) => void;
  readonly limits?: Partial<GatewayLimits>;
  /** Answers carry `x-prevail-route`, `-rule`, `-backend` and `-tries`. */
  readonly debugHeaders?: boolean;
  /** What becomes of `X-Forwarded-*` that clients send: they are dropped, or the gateway appends to them. */
  readonly forwarded?: "Overwrite" | "Append";
  /** How long the requests of a port that is given up may still take. */
  readonly drainMs?: number;
  readonly clock?: GatewayClock;
}

export interface BindAddress {
  /** Undefined: all addresses, IPv4 and IPv6. */
  readonly host?: string;
  readonly port: number;
}

export interface Gateway {
  /**
   * Serves this configuration from now on. Ports that stay change over at once, before this returns; those that come are opened by the time
   * it resolves; those that go take no new connections and are drained. Never rejects for what a configuration or a machine can have
   * wrong: that is told as problems, and everything else is served.
   */
  readonly replace: (config: DataplaneConfig, secrets: SecretSource) => Promise<ReplaceOutcome>;
  /** By gateway and port, those that are open. */
  readonly openPorts: () => readonly OpenPort[];
  /** Takes no new connections, lets requests end, and cuts what is left after that time. */
  readonly close: (options?: { readonly drainMs?: number }) => Promise<void>;
}

export interface ReplaceOutcome {
  /** All problems there are now, not only new ones. */
  readonly problems: readonly GatewayProblem[];
}

export interface GatewayProblem {
  readonly gateway: ObjectRef;
  readonly port: number;
  /** Undefined: all of the port's listeners. */
  readonly listener: string | undefined;
  readonly message: string;
}

export interface OpenPort {
  readonly gateway: ObjectRef;
  /** As the configuration has it. */
  readonly port: number;
  readonly protocol: "HTTP" | "HTTPS";
  /** Where it really listens. */
  readonly address: string;
  readonly boundPort: number;
}

export declare function createGateway(options: GatewayOptions): Gateway;
