import { setImmediate as nextTurn } from "node:timers/promises";

/** The longest time that a computation keeps the process from other work. */
const SLICE_MS = 4;
/** A slice that took longer did not compute all the time: the process was stopped. */
const LONGEST_SLICE_MS = 100;

/**
 * Takes the steps, with a turn for other work after each slice.
 *
 * `ms` is the time that the steps took. Pauses between computations are a multiple of it, so the time for which the process was stopped, or the
 * machine asleep, must not be part of it: a leader would not report for minutes afterwards.
 */
export async function inSlices<Result>(
  steps: Generator<void, Result>,
): Promise<{ readonly result: Result; readonly ms: number }> {
  let ms = 0;
  for (;;) {
    const beganMs = performance.now();
    let step = steps.next();
    while (step.done !== true && performance.now() - beganMs < SLICE_MS) step = steps.next();
    ms += Math.min(performance.now() - beganMs, LONGEST_SLICE_MS);
    if (step.done === true) return { result: step.value, ms };
    await nextTurn();
  }
}
