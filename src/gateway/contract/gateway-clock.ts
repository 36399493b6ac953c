/** The time, timers and random numbers of a gateway. Tests replace it. */
export interface GatewayClock {
  /** Monotonic, from an arbitrary origin. */
  readonly nowMs: () => number;
  /** Milliseconds since 1970. */
  readonly wallClockMs: () => number;
  /** Calls back once, never earlier than the delay. */
  readonly startTimer: (delayMs: number, onTime: () => void) => GatewayTimer;
  /** From 0 up to 1. */
  readonly random: () => number;
}

export interface GatewayTimer {
  readonly cancel: () => void;
}

/** The longest delay of `setTimeout`; with a longer one it fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const SYSTEM_CLOCK: GatewayClock = {
  nowMs: () => performance.now(),
  wallClockMs: () => Date.now(),
  startTimer: (delayMs, onTime) => {
    const dueMs = performance.now() + delayMs;
    let handle: NodeJS.Timeout;
    // Node's timers may fire up to one millisecond early.
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
