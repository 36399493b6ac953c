/** What a client or a backend must not be able to do, on every data plane. More is in test/hostile/dataplane. */
import type { BehaviourRow } from "./behaviour-row.ts";
import type { Deed } from "./recording-backend.ts";

const OK: Deed = { do: "Respond", status: 200 };

/** Headers by which backends identify a client. */
const identity: readonly BehaviourRow[] = [
  {
    name: "identity › what a client says about itself is dropped",
    script: [OK],
    request: {
      headers: {
        "x-forwarded-for": "10.9.9.9",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "evil.example",
        "x-forwarded-port": "444",
        "x-forwarded-client-cert": "Hash=1",
        "x-real-ip": "10.9.9.9",
        forwarded: "for=10.9.9.9",
      },
    },
    expect: {
      status: 200,
      attempts: 1,
      sawHeaders: {
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-proto": "http",
        "x-forwarded-port": undefined,
        "x-forwarded-client-cert": undefined,
        "x-real-ip": undefined,
        forwarded: undefined,
      },
    },
  },
  {
    name: "identity › headers that change what Envoy does are dropped",
    script: [{ do: "Respond", status: 503 }, OK],
    request: { headers: { "x-envoy-retry-on": "5xx", "x-envoy-max-retries": "3", "x-envoy-anything": "1" } },
    expect: {
      status: 503,
      attempts: 1,
      sawHeaders: { "x-envoy-retry-on": undefined, "x-envoy-max-retries": undefined, "x-envoy-anything": undefined },
    },
  },
  {
    name: "identity › a filter may set such a header",
    rule: {
      filters: [
        {
          type: "RequestHeaderModifier",
          requestHeaderModifier: {
            set: [{ name: "X-Forwarded-For", value: "192.0.2.1" }],
            remove: ["X-Forwarded-Proto"],
          },
        },
      ],
    },
    script: [OK],
    request: { headers: { "x-forwarded-for": "10.9.9.9" } },
    expect: {
      status: 200,
      attempts: 1,
      sawHeaders: { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": undefined },
    },
  },
  ...["x_forwarded_for", "x-real_ip", "x_trace"].map(
    (name): BehaviourRow => ({
      name: `identity › a header with an underscore is refused: ${name}`,
      script: [OK],
      request: { headers: { [name]: "1" } },
      expect: { status: 400, attempts: 0 },
    }),
  ),
];

/** A backend's headers do not change what happens to its requests. */
const steering: readonly BehaviourRow[] = [
  ...["20ms", undefined].map(
    (backoff): BehaviourRow => ({
      name: `headers of a response › x-envoy-ratelimited does not prevent a retry (backoff ${backoff ?? "left out"})`,
      retry: { codes: [503], attempts: 1, ...(backoff === undefined ? {} : { backoff }) },
      script: [{ do: "Respond", status: 503, headers: { "x-envoy-ratelimited": "true" } }, OK],
      expect: { status: 200, attempts: 2 },
    }),
  ),
  ...["GET", "POST"].flatMap((method) =>
    ["1", "envoy://prevail delay 21ms/prevail delay 21ms"].map(
      (mark): BehaviourRow => ({
        name: `headers of a response › x-prevail-waited (${mark}) does not cause a retry of ${method}`,
        retry: { codes: [503], attempts: 2, backoff: "20ms", afterSend: "Always" },
        script: [{ do: "Respond", status: 200, headers: { "x-prevail-waited": mark } }],
        request: { method },
        expect: { status: 200, attempts: 1, headers: { "x-prevail-waited": undefined } },
      }),
    ),
  ),
  {
    name: "headers of a response › those that steer a data plane are not passed on",
    script: [
      { do: "Respond", status: 503, headers: { "x-envoy-ratelimited": "1", "x-prevail-waited": "1", "x-other": "1" } },
    ],
    expect: {
      status: 503,
      attempts: 1,
      headers: { "x-envoy-ratelimited": undefined, "x-prevail-waited": undefined, "x-other": "1" },
    },
  },
  {
    name: "headers of a response › those that steer a data plane are not passed on, of the last attempt",
    retry: { codes: [503], attempts: 1, backoff: "20ms" },
    script: [{ do: "Respond", status: 503, headers: { "x-envoy-ratelimited": "1", "x-prevail-waited": "1" } }],
    expect: {
      status: 503,
      attempts: 2,
      headers: { "x-envoy-ratelimited": undefined, "x-prevail-waited": undefined },
    },
  },
];

export const safetyRows: readonly BehaviourRow[] = [...identity, ...steering];
