import { describe, expect, test } from "vitest";
import { checkText, findingsOf, retryPolicy, smallCluster } from "../../../../test/support/cli/check-text.ts";

const inline = (fields: string): string => smallCluster.replace("  - name: one\n", `  - name: one\n    ${fields}\n`);
const onRoute = (spec: string): string => retryPolicy("r", "{kind: HTTPRoute, name: r}", spec);

describe("RetriesExceedTimeout", () => {
  test("attempts times backoff beyond the request timeout, each from another object", async () => {
    const high = retryPolicy("high", "{kind: Gateway, name: g}", "overrides:\n  retry: {attempts: 5}");
    const low = onRoute("retry: {backoff: 3s}\ntimeouts: {request: 10s}");
    const [found] = (await checkText(smallCluster + high + low)).filter(({ code }) => code === "RetriesExceedTimeout");
    expect(found).toMatchObject({
      severity: "warning",
      field: "spec.overrides.retry.attempts",
      message:
        "5 retries, the first at least 3s after the failure and each later one after a longer wait, wait 1m15s in total, but the request times out after 10s: at most 2 of them can start. This is so at Service a/s#web behind HTTPRoute a/r#one",
      related: [
        { message: "retry.backoff is set by RetryPolicy a/r" },
        { message: "timeouts.request is set by RetryPolicy a/r" },
      ],
    });
  });

  test("of a route itself, without any policy", async () => {
    const text = inline("retry: {attempts: 2, backoff: 5s}\n    timeouts: {request: 5s}");
    expect(await findingsOf("RetriesExceedTimeout", text)).toEqual([
      expect.stringMatching(/^warning at «2, backoff: 5s}»: 2 retries, .*: none of them can start\. This is so at /),
    ]);
  });

  test("reported once for all paths that have the same values from the same sources", async () => {
    const listeners = smallCluster.replace(
      "  - {name: http, protocol: HTTP, port: 80}\n",
      "  - {name: http, protocol: HTTP, port: 80}\n  - {name: more, protocol: HTTP, port: 81}\n",
    );
    const text = listeners + onRoute("retry: {attempts: 2, backoff: 5s}\ntimeouts: {request: 5s}");
    expect(await findingsOf("RetriesExceedTimeout", text)).toEqual([expect.stringContaining(", and on 1 more path")]);
  });

  test.each([
    ["enough time", "retry: {attempts: 2, backoff: 1s}\ntimeouts: {request: 1m}"],
    ["no timeout", "retry: {attempts: 2, backoff: 1h}\ntimeouts: {request: 0s}"],
    ["no retries", "retry: {attempts: 0, backoff: 1h}\ntimeouts: {request: 1s}"],
    ["no minimum", "retry: {attempts: 9}\ntimeouts: {request: 1s}"],
  ])("not with %s", async (_, spec) => {
    expect((await checkText(smallCluster + onRoute(spec))).map(({ code }) => code)).toEqual([]);
  });
});

test("RetriesMayNotFit: waits double, and each attempt may use its whole timeout", async () => {
  const text =
    smallCluster + onRoute("retry: {attempts: 3, backoff: 1s}\ntimeouts: {request: 10s, backendRequest: 1s}");
  expect(await findingsOf("RetriesMayNotFit", text)).toEqual([
    "info at «3, backoff: 1s}»: 3 retries may need 11s with attempts of up to 1s and waits that double from attempt to attempt, but the request times out after 10s. This is so at Service a/s#web behind HTTPRoute a/r#one",
  ]);
});

test("AttemptOutlivesRequest: two policies that do not know of each other", async () => {
  const high = retryPolicy("high", "{kind: Gateway, name: g}", "timeouts: {request: 1s500ms}");
  const low = retryPolicy("low", "{kind: Service, name: s}", "timeouts: {backendRequest: 2s}");
  expect(await findingsOf("AttemptOutlivesRequest", smallCluster + high + low)).toEqual([
    expect.stringMatching(
      /^warning at «2s}»: one attempt may take 2s, but the whole request times out after 1s500ms: /,
    ),
  ]);
});

test("BackoffAboveMaximum", async () => {
  const high = retryPolicy("high", "{kind: Gateway, name: g}", "retry: {maxBackoff: 1s}");
  const low = onRoute("retry: {backoff: 2s}");
  expect(await findingsOf("BackoffAboveMaximum", smallCluster + high + low)).toEqual([
    expect.stringMatching(/^warning at «1s}»: the wait before a retry is 2s, but the longest wait is 1s: /),
  ]);
});

test("CodeNotRetried: of a route whose CRD in the input allows the code, as those of older versions do", async () => {
  const crd = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: httproutes.gateway.networking.k8s.io
  annotations: {api-approved.kubernetes.io: "https://example.com"}
spec:
  group: gateway.networking.k8s.io
  scope: Namespaced
  names: {kind: HTTPRoute, plural: httproutes}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
`;
  const found = (codes: string, more = ""): Promise<readonly string[]> =>
    findingsOf("CodeNotRetried", inline(`retry: {codes: ${codes}}`) + more);
  expect(await found("[200, 503]", crd)).toEqual([
    expect.stringMatching(/^warning at «\[200, 503\]}»: status code 200 cannot be retried/),
  ]);
  expect(await found("[301, 302]", crd)).toEqual([
    expect.stringMatching(/^warning at «\[301, 302\]}»: status codes 301, 302 cannot be retried/),
  ]);
  expect(await found("[301, 302]")).toEqual([]);
});

describe("settings of a RetryPolicy", () => {
  test("one that is misspelt", async () => {
    const text = smallCluster + onRoute("defaults:\n  when: 'true'\n  retry: {attemps: 3, attempts: 1}");
    expect(await findingsOf("UnknownSetting", text)).toEqual([
      "warning at «3, attempts: 1}»: spec.defaults.retry.attemps is not a setting of RetryPolicy and has no effect; did you mean 'attempts'?",
    ]);
  });

  test("one that there is not", async () => {
    expect(
      await findingsOf("UnknownSetting", smallCluster + onRoute("circuitBreaker: {}\nretry: {attempts: 1}")),
    ).toEqual([
      expect.stringMatching(
        /^warning at «{}»: spec\.circuitBreaker is not a setting of RetryPolicy and has no effect; known settings: retry, /,
      ),
    ]);
  });

  test("a condition outside of a block, which would let the settings take effect everywhere", async () => {
    for (const block of ["retry: {attempts: 1}", "overrides: {retry: {attempts: 1}}"])
      expect(await findingsOf("UnknownSetting", smallCluster + onRoute(`when: 'false'\n${block}`))).toEqual([
        "warning at «'false'»: spec.when is not a setting of RetryPolicy and has no effect; a condition is a field of 'defaults' or 'overrides'",
      ]);
  });

  test("for a kind of another vendor only what looks like a slip", async () => {
    const tls = (field: string): string => `---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: t, namespace: a}
spec:
  targetRefs: [{group: "", kind: Service, name: s}]
  validation: {wellKnownCACertificates: System, hostname: s.a.svc, ${field}}
`;
    expect(await findingsOf("UnknownSetting", smallCluster + tls("hostnme: x"))).toHaveLength(1);
    expect(await findingsOf("UnknownSetting", smallCluster + tls("somethingNew: x"))).toEqual([]);
  });

  test("a value that cannot be makes it Invalid", async () => {
    expect(await findingsOf("InvalidField", smallCluster + onRoute("retry: {backoff: 5 seconds}"))).toEqual([
      expect.stringMatching(/^error at «5 seconds}»: /),
    ]);
  });

  test("timeouts.request on a Service", async () => {
    const policy = retryPolicy("p", "{kind: Service, name: s}", "overrides:\n  timeouts: {request: 1s}");
    expect(await findingsOf("InvalidForTarget", smallCluster + policy)).toEqual([
      expect.stringMatching(/^error at «1s}»: .*the timeout of a request starts before a backend is selected/),
    ]);
  });
});
