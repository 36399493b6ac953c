/** Requests of HTTP/1.0. The connection is closed after the response, so its end is the end of the response. */
import type { BehaviourRow } from "./behaviour-row.ts";

export const http10Rows: readonly BehaviourRow[] = [
  {
    name: "HTTP/1.0 › served",
    script: [{ do: "Respond", status: 200, body: "bread" }],
    request: { protocol: "HTTP/1.0", path: "/a?b=c" },
    expect: { status: 200, attempts: 1, body: "bread", sawTarget: "/a?b=c" },
  },
  {
    name: "HTTP/1.0 › retried",
    retry: { codes: [503], attempts: 1, backoff: "20ms" },
    script: [
      { do: "Respond", status: 503 },
      { do: "Respond", status: 200, body: "bread" },
    ],
    request: { protocol: "HTTP/1.0" },
    expect: { status: 200, attempts: 2, body: "bread" },
  },
  {
    name: "HTTP/1.0 › a body without a length is not in chunks",
    protocol: "HTTP/2",
    script: [{ do: "Respond", status: 200, body: "bread" }],
    request: { protocol: "HTTP/1.0" },
    expect: { status: 200, attempts: 1, body: "bread", headers: { "transfer-encoding": undefined } },
  },
  {
    name: "HTTP/1.0 › an unknown host: 404",
    script: [{ do: "Respond", status: 200 }],
    request: { protocol: "HTTP/1.0", headers: { host: "unknown.example" } },
    expect: { status: 404, attempts: 0 },
  },
];
