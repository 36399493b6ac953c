/** Which endpoints get requests: docs/gateway.md, "Endpoints that fail". */
import type { BehaviourRow } from "./behaviour-row.ts";
import type { Deed } from "./recording-backend.ts";

const OK: Deed = { do: "Respond", status: 200 };
const retry = { attempts: 1, backoff: "20ms", afterSend: "Always" };

export const healthRows: readonly BehaviourRow[] = [
  ...[undefined, "20ms"].map(
    (backoff): BehaviourRow => ({
      name: `endpoints › one of two stalls: few requests pay for it (backoff ${backoff ?? "left out"})`,
      retry: { attempts: 1, ...(backoff === undefined ? {} : { backoff }) },
      timeouts: { backendRequest: "100ms" },
      endpoints: ["Stalled", "Alive"],
      script: [OK],
      repeat: 20,
      expect: { status: 200, attempts: [20, 23], lastEndpoints: [1] },
    }),
  ),
  {
    name: "endpoints › one of two resets connections: few requests pay for it",
    retry,
    endpoints: ["Resetting", "Alive"],
    script: [OK],
    repeat: 20,
    expect: { status: 200, attempts: [20, 23], lastEndpoints: [1] },
  },
  {
    name: "endpoints › one of two cannot be reached: no request fails",
    endpoints: ["Dead", "Alive"],
    retry: { attempts: 1 },
    script: [OK],
    repeat: 20,
    expect: { status: 200, attempts: 20, lastEndpoints: [1] },
  },
  {
    name: "endpoints › at most half of them get no requests",
    endpoints: ["Resetting", "Resetting"],
    script: [OK],
    repeat: 12,
    expect: { status: 503, attempts: 12 },
  },
  {
    name: "endpoints › a single one always gets requests",
    endpoints: ["Resetting"],
    script: [OK],
    repeat: 8,
    expect: { status: 503, attempts: 8 },
  },
  ...[500, 503, 404].map(
    (status): BehaviourRow => ({
      name: `endpoints › a ${status} is a sign of life`,
      endpoints: ["Alive", "Alive"],
      script: [{ do: "Respond", status }],
      repeat: 20,
      expect: { status, attempts: 20, lastEndpoints: [0, 1] },
    }),
  ),
];
