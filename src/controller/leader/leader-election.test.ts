/** Kubernetes, "Leases": Leader election */
import { expect, test } from "vitest";
import type { LeaseState } from "../../adapters/cluster/client/lease-claim.ts";
import { LeaderElection } from "./leader-election.ts";

/** Runs an election whose claims end as given, at the given times; returns what happened. */
async function elect(
  claims: readonly { readonly atMs: number; readonly state: LeaseState | Error }[],
): Promise<readonly string[]> {
  const stop = new AbortController();
  const log: string[] = [];
  let nowMs = 0;
  let turn = 0;
  const election = new LeaderElection({
    lease: {
      claim: async () => {
        const claim = claims[turn++];
        if (turn >= claims.length) stop.abort();
        nowMs = claim?.atMs ?? nowMs;
        if (claim === undefined || claim.state instanceof Error) throw claim?.state ?? new Error("no more claims");
        return claim.state;
      },
      release: async () => void log.push("released"),
    },
    renewDeadlineMs: 10_000,
    retryMs: 1,
    monotonicMs: () => nowMs,
    onLeading: () => log.push(`leads, ${election.remainingMs()} ms remain`),
    onLost: () => log.push("lost"),
    onTrouble: () => undefined,
  });
  await election.run(stop.signal);
  log.push(`${election.remainingMs()} ms remain`);
  await election.release();
  return log;
}

const OWNED: LeaseState = { isOwned: true, untilMs: 0 };
const OTHERS: LeaseState = { isOwned: false, owner: "another" };

test("a leader may write until the deadline, counted from before its claim was sent", async () => {
  expect(await elect([{ atMs: 4000, state: OWNED }])).toEqual([
    "leads, 6000 ms remain",
    "6000 ms remain",
    "lost",
    "released",
  ]);
});

test("a replica that does not own the Lease may not write, and releases nothing", async () => {
  expect(await elect([{ atMs: 0, state: OTHERS }])).toEqual(["0 ms remain"]);
});

test("a leader that cannot renew goes on until its deadline", async () => {
  const failure = new Error("the server does not respond");
  expect(
    await elect([
      { atMs: 0, state: OWNED },
      { atMs: 9999, state: failure },
    ]),
  ).toEqual(["leads, 10000 ms remain", "1 ms remain", "lost", "released"]);
  expect(
    await elect([
      { atMs: 0, state: OWNED },
      { atMs: 10_000, state: failure },
    ]),
  ).toEqual(["leads, 10000 ms remain", "lost", "0 ms remain"]);
});

test("a process that was stopped during a renewal finds its deadline passed, though the renewal succeeded", async () => {
  expect(
    await elect([
      { atMs: 0, state: OWNED },
      { atMs: 20_000, state: OWNED },
    ]),
  ).toEqual(["leads, 10000 ms remain", "lost", "0 ms remain"]);
});

test("a leader whose Lease another replica has taken is none", async () => {
  expect(
    await elect([
      { atMs: 0, state: OWNED },
      { atMs: 5000, state: OTHERS },
    ]),
  ).toEqual(["leads, 10000 ms remain", "lost", "0 ms remain"]);
});
