/** The state that all requests of a gateway share, across configurations. */
import type { GatewayClock } from "../contract/gateway-clock.ts";
import type { GatewayLimits } from "../contract/gateway-limits.ts";
import type { PieceQueue } from "../contract/piece-meter.ts";
import type { GatewayEvent } from "../observe/gateway-event.ts";
import type { RetryBudgets } from "../upstream/retry-budgets.ts";
import type { UpstreamTable } from "../upstream/upstream-table.ts";
import type { BufferedBytes } from "./request-body.ts";
import type { Sessions } from "./sessions.ts";

export interface ServingContext {
  readonly clock: GatewayClock;
  readonly limits: GatewayLimits;
  readonly emit: (event: GatewayEvent) => void;
  readonly budgets: RetryBudgets;
  readonly upstreams: UpstreamTable;
  readonly sessions: Sessions;
  readonly pieces: PieceQueue;
  readonly bufferedBytes: BufferedBytes;
  /** The mirrored requests that are running. */
  readonly mirrors: { readonly limit: number; running: number };
  readonly debugHeaders: boolean;
  /** The number of trusted proxies in front. */
  readonly trustedHops: number;
}
