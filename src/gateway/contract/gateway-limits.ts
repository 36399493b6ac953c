/** The limits of one embedded gateway: those of every data plane, and some of its own. */
import { EDGE_LIMITS, type EdgeLimits } from "../../core/dataplane/edge-limits.ts";

export interface GatewayLimits extends EdgeLimits {
  /** The size of all bodies that are buffered for retries. Beyond it a body is streamed and its request is not retried. */
  readonly maxKeptBytes: number;
  /** The size of a body that is buffered for a mirror. A request with a longer body is not mirrored. */
  readonly maxMirrorBodyBytes: number;
  /** Mirrored requests that run at the same time. Further ones are skipped. */
  readonly maxMirrors: number;
}

/** After an early response, up to this many bytes of the request body are discarded, so that an HTTP/1 connection can be used again. Then it, or the stream, is closed. */
export const MAX_UNWANTED_BYTES = 65_536;

export const DEFAULT_LIMITS: GatewayLimits = {
  ...EDGE_LIMITS,
  maxKeptBytes: 64 * 1024 * 1024,
  maxMirrorBodyBytes: 65_536,
  maxMirrors: 100,
};
