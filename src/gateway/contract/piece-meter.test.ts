import { expect, test } from "vitest";
import { SYSTEM_CLOCK } from "./gateway-clock.ts";
import { createPieceQueue } from "./piece-meter.ts";

const queueAt = () => {
  let now = 0;
  const queue = createPieceQueue({ ...SYSTEM_CLOCK, nowMs: () => now });
  return { queue, pass: (ms: number) => (now += ms) };
};

test("a connection with few pieces never waits, whatever others do", () => {
  const { queue, pass } = queueAt();
  const [greedy, modest] = [queue.openMeter(), queue.openMeter()];
  for (let turn = 0; turn < 100; turn++) {
    greedy.count(10_000);
    expect(modest.count(100)).toBe(0);
    pass(100);
  }
});

test("pieces beyond the free ones are let through one after the other, of all connections together", () => {
  const { queue, pass } = queueAt();
  const [one, other] = [queue.openMeter(), queue.openMeter()];
  expect(one.count(1000)).toBe(0);
  expect(one.count(4000)).toBe(100);
  expect(other.count(5000)).toBe(200);
  pass(200);
  // A fifth of a second gives 200 pieces free.
  expect(one.count(4200)).toBe(100);
});
