/**
 * Limits the time that clients can take from others with bodies in tiny pieces: a chunk of HTTP/1.1 or a DATA frame of HTTP/2 costs the gateway some
 * microseconds, whatever its size. Each connection has some pieces free. Beyond them it waits in a queue that all connections share, which lets a
 * fixed number of pieces through per second.
 */
import type { GatewayClock } from "./gateway-clock.ts";

/** The pieces that all connections together may send beyond the free ones: 40,000 per second. */
const PIECE_MS = 0.025;
/** The pieces that a connection has free: a number at once, and a number per millisecond. */
const FREE_BURST = 1000;
const FREE_PER_MS = 1;

export interface PieceQueue {
  readonly openMeter: () => PieceMeter;
}

/** The pieces of one connection. */
export interface PieceMeter {
  /** Counts pieces that were read. Returns for how many milliseconds nothing more may be read. */
  readonly count: (pieces: number) => number;
}

export function createPieceQueue({ nowMs }: GatewayClock): PieceQueue {
  let busyUntilMs = 0;
  return {
    openMeter: () => {
      let free = FREE_BURST;
      let seenMs = nowMs();
      return {
        count: (pieces) => {
          const now = nowMs();
          free = Math.min(FREE_BURST, free + (now - seenMs) * FREE_PER_MS) - pieces;
          seenMs = now;
          if (free >= 0) return 0;
          busyUntilMs = Math.max(busyUntilMs, now) - free * PIECE_MS;
          free = 0;
          return busyUntilMs - now;
        },
      };
    },
  };
}
