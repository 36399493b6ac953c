/** What all requests of a gateway share, and what one configuration adds. */
import type { BackendConfig, Endpoint, EndpointsId } from "../core/dataplane/gateway-config.ts";
import type { BudgetBook } from "./budget-book.ts";
import type { GatewayClock } from "./gateway-clock.ts";
import type { GatewayEvent } from "./gateway-event.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import type { KeptBytes } from "./request-body.ts";
import type { UpstreamTls } from "./upstream.ts";
import type { UpstreamTable } from "./upstream-table.ts";

export interface ServingContext {
  readonly clock: GatewayClock;
  readonly limits: GatewayLimits;
  readonly emit: (event: GatewayEvent) => void;
  readonly budgets: BudgetBook;
  readonly upstreams: UpstreamTable;
  readonly keptBytes: KeptBytes;
  /** Copies of requests under way. */
  readonly mirrors: { readonly limit: number; running: number };
  readonly debugHeaders: boolean;
  readonly forwarded: "Overwrite" | "Append";
}

/** Of the configuration that a request began with: it is served by this one to its end. */
export interface BackendLookup {
  readonly endpointsOf: (id: EndpointsId) => readonly Endpoint[];
  readonly tlsOf: (backend: BackendConfig) => TlsLookup;
}

export type TlsLookup =
  | { readonly state: "plain" }
  | { readonly state: "tls"; readonly tls: UpstreamTls }
  | { readonly state: "unusable"; readonly message: string };
