import { describe, expect, test } from "vitest";
import { checkText, retryPolicy, smallCluster } from "../../../../test/support/cli/check-text.ts";

/** `code object field`, of what only a data plane knows. */
async function found(text: string, options: string): Promise<readonly string[]> {
  const findings = await checkText(text, options);
  return findings
    .filter(({ code }) => code === "NotServed" || code === "SettingIgnored" || code.startsWith("Envoy"))
    .map(({ code, object, field }) => `${code} ${object?.kind}/${object?.namespace}/${object?.name} ${field}`);
}

const ENVOY = "--dataplane envoy";
const EMBEDDED = "--dataplane embedded";

const withRule = (fields: string): string => smallCluster.replace("  - name: one\n", `  - name: one\n    ${fields}\n`);
const onRoute = (spec: string): string => retryPolicy("r", "{kind: HTTPRoute, name: r}", spec);
const trafficPolicy = `---
apiVersion: gateway.networking.x-k8s.io/v1alpha1
kind: XBackendTrafficPolicy
metadata: {name: t, namespace: a}
spec: {targetRefs: [{group: "", kind: Service, name: s}], retryConstraint: {budget: {percent: 20}}}
`;
const header = (value: string): string =>
  `filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x, value: "${value}"}]}}]`;

describe("what Envoy would refuse, or cannot keep exactly", () => {
  test.each([
    [
      "a pattern that RE2 does not read",
      withRule(`matches: [{path: {type: RegularExpression, value: "/(?=a)"}}]`),
      ["EnvoyRefusesMatch HTTPRoute/a/r spec.rules[0].matches[0]"],
    ],
    ["a header value with a line break, which the API server refuses before", withRule(header("a\\nb")), []],
    [
      "a budget and a backoff, reported at the source of the budget",
      smallCluster + onRoute("retry: {attempts: 2, backoff: 10ms, budget: {percent: 10}}"),
      ["EnvoyDropsBudget RetryPolicy/a/r spec.retry.budget.percent"],
    ],
    [
      "a budget that says nothing",
      smallCluster + onRoute("retry: {attempts: 2, backoff: 10ms, budget: {}}"),
      ["EnvoyDropsBudget RetryPolicy/a/r spec.retry.budget"],
    ],
    [
      "a budget alone",
      smallCluster + onRoute("retry: {attempts: 2, budget: {minRetryRate: {count: 3}}}"),
      ["EnvoyCountsBudgetOtherwise RetryPolicy/a/r spec.retry.budget.minRetryRate.count"],
    ],
    [
      "the budget of a Service, at its policy",
      smallCluster + onRoute("retry: {attempts: 2, backoff: 10ms}") + trafficPolicy,
      ["EnvoyDropsBudget XBackendTrafficPolicy/a/t spec.retryConstraint"],
    ],
    ["the budget of a Service without retries", smallCluster + trafficPolicy, []],
    [
      "more attempts than Envoy allows",
      smallCluster + onRoute("retry: {attempts: 101}"),
      ["EnvoyCapsAttempts RetryPolicy/a/r spec.retry.attempts"],
    ],
    ["as many as there may be", smallCluster + onRoute("retry: {attempts: 100}"), []],
    [
      "a session in a header, with several backends and a timeout",
      withRule("sessionPersistence: {type: Header, header: {name: x-cart}, absoluteTimeout: 1h}").replace(
        "{name: s, port: 80}",
        "{name: s, port: 80}, {name: s, port: 80, weight: 2}",
      ),
      [
        "EnvoyKeepsSessions HTTPRoute/a/r spec.rules[0].sessionPersistence",
        "EnvoySplitsSessions HTTPRoute/a/r spec.rules[0].sessionPersistence",
      ],
    ],
    [
      "a session cookie with a timeout, and a backoff",
      withRule("sessionPersistence: {type: Cookie, cookie: {name: cart}, absoluteTimeout: 1h}") +
        onRoute("retry: {attempts: 2, backoff: 10ms}"),
      [
        "EnvoyShortensBackoff HTTPRoute/a/r spec.rules[0].sessionPersistence",
        "EnvoyKeepsCookies HTTPRoute/a/r spec.rules[0].sessionPersistence",
      ],
    ],
    [
      "a budget, a backoff and a session of the rule: the budget is counted, because there are no waits",
      withRule("sessionPersistence: {type: Cookie, cookie: {name: cart}}") +
        onRoute("retry: {attempts: 2, backoff: 10ms, budget: {percent: 10}}"),
      [
        "EnvoyShortensBackoff HTTPRoute/a/r spec.rules[0].sessionPersistence",
        "EnvoyCountsBudgetOtherwise RetryPolicy/a/r spec.retry.budget.percent",
      ],
    ],
    [
      "the same with the session of a Service",
      smallCluster +
        onRoute("retry: {attempts: 2, backoff: 10ms, budget: {percent: 10}}") +
        trafficPolicy.replace("retryConstraint: {budget: {percent: 20}}", "sessionPersistence: {type: Cookie}"),
      [
        "EnvoyCountsBudgetOtherwise RetryPolicy/a/r spec.retry.budget.percent",
        "EnvoyShortensBackoff XBackendTrafficPolicy/a/t spec.sessionPersistence",
      ],
    ],
    [
      "a session of a Service, at its policy",
      smallCluster +
        trafficPolicy.replace(
          "retryConstraint: {budget: {percent: 20}}",
          "sessionPersistence: {type: Cookie, cookie: {name: cart}, absoluteTimeout: 1h}",
        ),
      ["EnvoyKeepsCookies XBackendTrafficPolicy/a/t spec.sessionPersistence"],
    ],
    [
      "a session that Envoy keeps exactly",
      withRule("sessionPersistence: {type: Cookie, cookie: {lifetimeType: Permanent}, absoluteTimeout: 1h}"),
      [],
    ],
    ["nothing unusual", smallCluster + onRoute("retry: {attempts: 2, backoff: 10ms}"), []],
  ])("%s", async (_, text, expected) => {
    expect(await found(text, ENVOY)).toEqual(expected);
    expect(await found(text, EMBEDDED)).toEqual([]);
    expect(await found(text, "")).toEqual([]);
  });

  test("two rewrites of the path", async () => {
    const rewrite = (path: string): string =>
      `filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath, replaceFullPath: ${path}}}}]`;
    const text = withRule(rewrite("/x")).replace("{name: s, port: 80}", `{name: s, port: 80, ${rewrite("/y")}}`);
    expect(await found(text, ENVOY)).toEqual(["EnvoyRewritesOnce HTTPRoute/a/r spec.rules[0].filters"]);
  });
});

test("external authorization that the embedded gateway does not carry out", async () => {
  const auth = (settings: string): string =>
    `filters: [{type: ExternalAuth, externalAuth: {backendRef: {name: s, port: 80}, ${settings}}}]`;
  const codes = async (settings: string, options: string): Promise<readonly string[]> =>
    (await checkText(withRule(auth(settings)), options))
      .filter(({ code }) => code.startsWith("Embedded") || code.startsWith("Envoy") || code === "NotServed")
      .map(({ code, field }) => `${code} ${field}`);
  const missing = ["EmbeddedHasNoExternalAuth spec.rules[0].filters"];
  expect(await codes("protocol: GRPC, grpc: {}", EMBEDDED)).toEqual(missing);
  expect(await codes("protocol: HTTP, http: {}, forwardBody: {maxSize: 1}", EMBEDDED)).toEqual(missing);
  expect(await codes("protocol: HTTP, http: {}", EMBEDDED)).toEqual([]);
  expect(await codes("protocol: GRPC, grpc: {}", ENVOY)).toEqual([]);
});

describe("connections that are not HTTP", () => {
  const listener = (name: string, protocol: string, port: number): string =>
    `{name: ${name}, port: ${port}, protocol: ${protocol}}`;
  const streams = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: a}
spec: {gatewayClassName: c, listeners: [${listener("db", "TCP", 5432)}, ${listener("dns", "UDP", 53)}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: TCPRoute
metadata: {name: r, namespace: a}
spec: {parentRefs: [{name: g}], rules: [{backendRefs: [{name: s, port: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: a}
spec: {ports: [{name: web, port: 80}]}
`;

  test("UDP is a finding for the embedded gateway only", async () => {
    const all = await checkText(streams, EMBEDDED);
    expect(all.filter(({ code }) => code === "EmbeddedHasNoUdp").map(({ field }) => field)).toEqual([
      "spec.listeners[1].protocol",
    ]);
    expect((await checkText(streams, ENVOY)).map(({ code }) => code)).not.toContain("EmbeddedHasNoUdp");
  });

  test.each(["{kind: Gateway, name: g}", "{kind: Gateway, name: g, sectionName: db}", "{kind: Service, name: s}"])(
    "a RetryPolicy on %s has no effect on them",
    async (target) => {
      const found = await checkText(streams + retryPolicy("p", target, "retry: {attempts: 2}"));
      expect(found.filter(({ code }) => code === "NotHttp").map(({ message }) => message)).toEqual([
        "RetryPolicy a/p has no effect on connections of TCPRoute a/r: they are forwarded as they are, so there are no requests to retry",
      ]);
    },
  );

  test("a RetryPolicy elsewhere is not reported", async () => {
    const text = smallCluster + onRoute("retry: {attempts: 2}");
    expect((await checkText(text)).map(({ code }) => code)).not.toContain("NotHttp");
  });
});

test("what another finding reports is not reported again", async () => {
  const text = smallCluster.replace("{name: s, port: 80}", "{name: absent, port: 80}");
  expect(await found(text, ENVOY)).toEqual([]);
  expect((await checkText(text, ENVOY)).map(({ code }) => code)).toContain("BackendNotFound");
});

test("what no data plane serves is reported for both, and only with --dataplane", async () => {
  const text = smallCluster.replace("{name: s, port: 80}", "{name: s, port: 81}");
  const expected = ["NotServed HTTPRoute/a/r spec.rules[0].backendRefs[0]"];
  expect(await found(text, EMBEDDED)).toEqual(expected);
  expect(await found(text, ENVOY)).toEqual(expected);
  expect(await found(text, "")).toEqual([]);
});

describe("settings that no data plane carries out are reported for both, and only with --dataplane", () => {
  const ofGateway = (field: string): string =>
    smallCluster.replace("  gatewayClassName: c\n", `  gatewayClassName: c\n  ${field}\n`);
  const backendTls = `---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: t, namespace: a}
spec:
  targetRefs: [{group: "", kind: Service, name: s}]
  validation: {hostname: s.example, wellKnownCACertificates: System}
  options: {example.com/ciphers: modern}
`;
  const unattached = `---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: anywhere, namespace: a}
spec: {useDefaultGateways: All, rules: [{backendRefs: [{name: s, port: 80}]}]}
`;
  test.each([
    ["addresses", ofGateway("addresses: [{value: 192.0.2.1}]"), "Gateway/a/g spec.addresses"],
    ["no addresses", ofGateway("addresses: []"), undefined],
    ["infrastructure", ofGateway("infrastructure: {labels: {team: a}}"), "Gateway/a/g spec.infrastructure"],
    ["empty infrastructure", ofGateway("infrastructure: {}"), undefined],
    ["a default Gateway", ofGateway("defaultScope: All"), "Gateway/a/g spec.defaultScope"],
    ["no default Gateway", ofGateway("defaultScope: None"), undefined],
    ["options of a BackendTLSPolicy", smallCluster + backendTls, "BackendTLSPolicy/a/t spec.options"],
    ["a route for default Gateways", smallCluster + unattached, "HTTPRoute/a/anywhere spec.useDefaultGateways"],
  ])("%s", async (_, text, expected) => {
    const findings = expected === undefined ? [] : [`SettingIgnored ${expected}`];
    expect(await found(text, EMBEDDED)).toEqual(findings);
    expect(await found(text, ENVOY)).toEqual(findings);
    expect(await found(text, "")).toEqual([]);
  });

  test("TLS options of a listener", async () => {
    const tls = "{options: {example.com/version: v}, certificateRefs: [{name: k}]}";
    const text = smallCluster.replace(
      "  listeners:\n",
      `  listeners:\n  - {name: tls, port: 443, protocol: HTTPS, tls: ${tls}}\n`,
    );
    const options = (await checkText(text, EMBEDDED)).filter(({ code }) => code === "SettingIgnored");
    expect(options.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      "spec.listeners[0].tls.options: TLS options are not supported: example.com/version is ignored",
    ]);
  });
});
