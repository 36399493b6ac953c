/** Time and chance, as a gateway sees them. Tests bring their own. */
export interface GatewayClock {
  /** Never goes back; from any point in time on. */
  readonly nowMs: () => number;
  /** Milliseconds since 1970. */
  readonly wallClockMs: () => number;
  /** Calls back once, not before that many milliseconds have passed. */
  readonly startTimer: (delayMs: number, onTime: () => void) => GatewayTimer;
  /** From 0 up to 1. */
  readonly random: () => number;
}

export interface GatewayTimer {
  readonly cancel: () => void;
}

/** Longer delays do not fit into a timer of Node's, which would then fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const SYSTEM_CLOCK: GatewayClock = {
  nowMs: () => performance.now(),
  wallClockMs: () => Date.now(),
  startTimer: (delayMs, onTime) => {
    const dueMs = performance.now() + delayMs;
    let handle: NodeJS.Timeout;
    // Node's timers count whole milliseconds of a cached clock and may fire up to one early.
    const arm = (): void => {
      const leftMs = dueMs - performance.now();
      if (leftMs <= 0) onTime();
      else handle = setTimeout(arm, Math.min(Math.ceil(leftMs), LONGEST_MS));
    };
    handle = setTimeout(arm, Math.min(Math.ceil(delayMs), LONGEST_MS));
    return { cancel: () => clearTimeout(handle) };
  },
  random: () => Math.random(),
};
