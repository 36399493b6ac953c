import { describe, expect, test } from "vitest";
import { bakeryWithout } from "../../../test/support/cli/broken-bakery.ts";
import { testTerminals, testTranscripts } from "../../../test/support/cli/cli-transcript.ts";
import { type CliResult, runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";

/** A PolicyTest of one case for each text, in YAML's flow style. */
const testOf = (...cases: readonly string[]): string =>
  [
    "apiVersion: prevail.dev/v1alpha1\nkind: PolicyTest\nmetadata: {name: t}\nspec:\n  cases:",
    ...cases.map((text, index) => `  - {name: case ${index + 1}, ${text}}`),
    "",
  ].join("\n");

const run = (cases: string | readonly string[], more = ""): Promise<CliResult> =>
  runCli(
    `test -f examples/bakery/gateway.yaml,examples/bakery/bakery.yaml,examples/bakery/shop.yaml,examples/bakery/policy-kinds.yaml,examples/bakery/platform-policies.yaml,examples/bakery/team-policies.yaml -f - ${more}`,
    {
      stdin: typeof cases === "string" ? cases : testOf(...cases),
    },
  );

const order = "request: {method: POST, host: baker.bakery.example, port: 8080, path: /orders}";
const menu = "request: {host: baker.bakery.example, port: 8080, path: /menu}";

const failing = testOf(
  `${order}, responses: [503], expect: {attempts: 1, settings: {RetryPolicy: {retry.attempts: {value: 0, from: httproute/bakery/baker}}}}`,
  `${menu}, expect: {rule: order, backends: [baker], status: 404}`,
  "request: {host: baker.bakery.example, port: 8080, path: /menu, method: DELETE}, expect: {rule: menu}",
  "request: {host: other.example, port: 8080}, expect: {route: httproute/bakery/baker, listener: http}",
  "request: {host: baker.bakery.example, port: 9}, expect: {status: 404}",
  "request: {host: baker, from: shop, port: 8080}, expect: {route: none}",
  `${menu}, expect: {settings: {RateLimitPolicy: {limits.per-client: {from: ratelimitpolicy/infra/fair-share}}}}`,
);

describe("output", () => {
  testTerminals([["test", "test -f examples/bakery -f docs/guide/orders-once.yaml"]]);
  testTranscripts([
    ["test-failing", "test -f examples/bakery -f -", failing],
    ["test-failing-github", "test -o github -f examples/bakery -f docs/guide/orders-once.yaml"],
    ["test-failing-junit", "test -o junit -f examples/bakery -f -", failing],
    ["test-failing-json", "test -o json -f examples/bakery -f docs/guide/orders-once.yaml"],
    ["test-nothing", "test -f examples/bakery/gateway.yaml"],
    ["test-argument", "test examples/bakery"],
  ]);
});

describe("expectations that are met", () => {
  for (const [what, text] of [
    ["the Gateway, by each of its names", `${order}, expect: {gateway: prod}`],
    ["the Gateway with its namespace", `${order}, expect: {gateway: infra/prod}`],
    ["the Gateway as a target", `${order}, expect: {gateway: gtw/infra/prod}`],
    ["the listener", `${order}, expect: {listener: http}`],
    ["the route, in any namespace", `${order}, expect: {route: httproutes/baker}`],
    ["a rule without a name", "request: {host: baker.bakery.example, port: 8080, path: /x}, expect: {rule: rule-2}"],
    [
      "backends in any order, with namespaces and ports",
      `${menu}, expect: {backends: ["bakery/baker-next", "baker:8080"]}`,
    ],
    ["no listener", "request: {host: x.example, port: 9}, expect: {listener: none, route: none}"],
    ["404 for a host that no route has", "request: {host: x.example, port: 8080}, expect: {status: 404}"],
    [
      "a header decides",
      "request: {host: baker.bakery.example, port: 8080, path: /menu, headers: {X-Any: '1'}}, expect: {rule: menu}",
    ],
    [
      "a query does not disturb the path",
      "request: {host: baker.bakery.example, port: 8080, path: '/menu?a=1'}, expect: {rule: menu}",
    ],
    ["the status of the backend", `${menu}, responses: [404], expect: {status: 404, attempts: 1}`],
    ["retries, exhausted", `${menu}, responses: [503], expect: {status: 503, attempts: 6}`],
    ["retries, until one works", `${menu}, responses: [500, 502, 201], expect: {status: 201, attempts: 3}`],
    ["a reset is retried for GET", `${menu}, responses: [reset, 200], expect: {attempts: 2}`],
    ["a reset is not retried for POST", `${order}, responses: [reset, 200], expect: {status: 503, attempts: 1}`],
    ["an unreachable backend is retried for POST", `${order}, responses: [unreachable, 200], expect: {attempts: 2}`],
    [
      "a long body is not sent again",
      "request: {method: POST, host: baker.bakery.example, port: 8080, path: /orders, bodyBytes: 999999}, responses: [503], expect: {attempts: 1}",
    ],
    ["a value", `${menu}, expect: {settings: {RetryPolicy: {retry.codes: {value: [500, 502, 503]}}}}`],
    [
      "a value and its source",
      `${menu}, expect: {settings: {retrypolicy.prevail.dev: {retry.attempts: {value: 5, from: retrypolicy/friday-fix, block: overrides}}}}`,
    ],
    [
      "only the source",
      `${menu}, expect: {settings: {RetryPolicy: {retry.attempts: {from: retrypolicy/infra/friday-fix}}}}`,
    ],
    ["an absent value", `${menu}, expect: {settings: {RetryPolicy: {retry.maxBackoff: {absent: true}}}}`],
    [
      "a part of a named rule",
      `${order}, expect: {settings: {RateLimitPolicy: {limits.per-client.requests: {value: 100, from: ratelimitpolicy/infra/fair-share}}}}`,
    ],
    [
      "a Direct policy on one backend",
      "request: {scheme: https, host: oven.bakery.example, port: 8443, path: /bakery.Oven/Bake, method: POST}, expect: {settings: {BackendTLSPolicy: {validation.hostname: {from: backendtlspolicy/bakery/oven-tls, backend: oven}}}}",
    ],
    [
      "in a mesh",
      "request: {host: baker.bakery, from: shop, port: 8080}, expect: {route: none, backends: [], status: 200}".replace(
        ", backends: []",
        "",
      ),
    ],
  ] as const) {
    test(what, async () => {
      const { code, stdout, stderr } = await run([text]);
      expect([stderr, stdout.split("\n")[1], code]).toEqual(["", "  ok    case 1", 0]);
    });
  }
});

describe("expectations that are not met", () => {
  for (const [what, text, expected] of [
    ["another Gateway", `${order}, expect: {gateway: other}`, "gateway: expected other, got Gateway infra/prod"],
    ["another listener", `${order}, expect: {listener: https}`, "listener: expected https, got http"],
    [
      "another route",
      `${order}, expect: {route: grpcroute/oven}`,
      "route: expected grpcroute/oven, got HTTPRoute bakery/baker",
    ],
    [
      "too few backends",
      `${menu}, expect: {backends: [baker]}`,
      "backends: expected [baker], got [bakery/baker:8080, bakery/baker-next:8080]",
    ],
    [
      "too many backends",
      `${order}, expect: {backends: [baker, baker-next]}`,
      "backends: expected [baker, baker-next], got [bakery/baker:8080]",
    ],
    [
      "another port",
      `${order}, expect: {backends: ["baker:1"]}`,
      "backends: expected [baker:1], got [bakery/baker:8080]",
    ],
    [
      "another value",
      `${menu}, expect: {settings: {RetryPolicy: {retry.attempts: {value: 1}}}}`,
      "RetryPolicy retry.attempts: expected {value: 1}, got {value: 5, from: RetryPolicy infra/friday-fix, block: overrides}",
    ],
    [
      "another source",
      `${menu}, expect: {settings: {RetryPolicy: {retry.attempts: {from: retrypolicy/baker-retries}}}}`,
      "RetryPolicy retry.attempts: expected {from: retrypolicy/baker-retries}, got {value: 5",
    ],
    [
      "another block",
      `${menu}, expect: {settings: {RetryPolicy: {retry.attempts: {block: defaults}}}}`,
      "RetryPolicy retry.attempts: expected {block: defaults}, got",
    ],
    [
      "a value that is not there",
      `${menu}, expect: {settings: {RetryPolicy: {retry.maxBackoff: {value: 1s}}}}`,
      "RetryPolicy retry.maxBackoff: expected {value: 1s}, got {absent: true}",
    ],
    [
      "a value that should be absent",
      `${menu}, expect: {settings: {RetryPolicy: {retry.attempts: {absent: true}}}}`,
      "RetryPolicy retry.attempts: expected {absent: true}, got {value: 5",
    ],
    [
      "no Gateway of that name",
      "request: {host: x, gateway: prdo}, expect: {status: 404}",
      "no Gateway is named 'prdo'; did you mean 'prod'?",
    ],
    [
      "no Service of that name",
      "request: {host: bakr.bakery, from: shop}, expect: {status: 404}",
      "no Service has the host 'bakr.bakery'; did you mean 'baker.bakery'?",
    ],
    [
      "no response at all",
      "request: {host: x.example, port: 9}, expect: {status: 404}",
      "status: expected 404, got nothing",
    ],
  ] as const) {
    test(what, async () => {
      const { code, stdout } = await run([text]);
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(expected.replaceAll("\\,", ","));
      expect([stdout.includes("FAIL  case 1"), code]).toEqual([true, 1]);
    });
  }

  test("one of several cases: the others pass, and the exit code is 1", async () => {
    const { code, stdout } = await run([`${menu}, expect: {rule: menu}`, `${menu}, expect: {rule: order}`]);
    expect([code, stdout]).toEqual([1, expect.stringContaining("2 cases: 1 passed, 1 failed.")]);
  });
});

describe("mistakes in a test are errors with a position, and never a pass", () => {
  for (const [what, text, position, message] of [
    [
      "an unknown field",
      `${menu}, expect: {rout: x}`,
      "6:99",
      "spec.cases[0].expect.rout is not a field; spec.cases[0].expect has gateway, listener, route, rule, backends, status, attempts, settings; did you mean 'route'?",
    ],
    ["nothing expected", `${menu}, expect: {}`, "", "spec.cases[0].expect is an object of 0 fields"],
    ["no host", "request: {path: /}, expect: {status: 404}", "", "spec.cases[0].request.host is missing"],
    [
      "a URL as a host",
      "request: {host: 'http://x'}, expect: {status: 404}",
      "",
      "allowed: a host name, without a scheme, a port or a path",
    ],
    ["a relative path", "request: {host: x, path: menu}, expect: {status: 404}", "", "a path that begins with /"],
    ["a status that does not exist", `${menu}, expect: {status: 1000}`, "", "spec.cases[0].expect.status is 1000"],
    [
      "a response that does not exist",
      `${menu}, responses: [rset], expect: {status: 503}`,
      "",
      "did you mean 'reset'?",
    ],
    [
      "attempts without responses",
      `${menu}, expect: {attempts: 1}`,
      "",
      "say how each attempt ends, with spec.cases[0].responses",
    ],
    [
      "an unknown kind of a route",
      `${menu}, expect: {route: htproute/baker}`,
      "",
      "unknown kind 'htproute'; did you mean 'HTTPRoute'?",
    ],
    ["a route without a kind", `${menu}, expect: {route: baker}`, "", "allowed: KIND/NAME or KIND/NAMESPACE/NAME"],
    [
      "an unknown policy kind",
      `${menu}, expect: {settings: {RetryPolcy: {retry.attempts: {value: 1}}}}`,
      "",
      "no PolicyDefinition describes 'RetryPolcy'",
    ],
    [
      "an unknown setting",
      `${menu}, expect: {settings: {RetryPolicy: {retry.atempts: {absent: true}}}}`,
      "",
      "RetryPolicy has no setting 'retry.atempts'; did you mean 'retry.attempts'?",
    ],
    [
      "a value that the kind cannot have",
      `${menu}, expect: {settings: {RetryPolicy: {retry.attempts: {value: many}}}}`,
      "",
      'no RetryPolicy can have this value: retry.attempts is "many"',
    ],
    [
      "a setting without an expectation",
      `${menu}, expect: {settings: {RetryPolicy: {retry.attempts: {}}}}`,
      "",
      "expects nothing: give value, from, block or absent",
    ],
    [
      "absent and a value",
      `${menu}, expect: {settings: {RetryPolicy: {retry.attempts: {absent: true, value: 1}}}}`,
      "",
      "keep one of them",
    ],
    [
      "a rule without a route",
      `${menu}, expect: {route: none, rule: menu}`,
      "",
      "needs a route, and the test expects none",
    ],
    [
      "a Gateway in a mesh",
      "request: {host: x, gateway: prod, from: shop}, expect: {status: 200}",
      "",
      "is about a mesh",
    ],
    [
      "a backend of another form",
      `${menu}, expect: {backends: ["a/b/c"]}`,
      "",
      "allowed: NAME, NAME:PORT, NAMESPACE/NAME or NAMESPACE/NAME:PORT",
    ],
  ] as const) {
    test(what, async () => {
      const { code, stdout } = await run([text]);
      const flat = stdout.replaceAll(/\s+/g, " ");
      expect(flat).toContain(message);
      expect(flat).toContain(`error: <stdin>:${position}`);
      expect([stdout.includes("ok    "), code]).toEqual([false, 65]);
    });
  }

  test("two cases of one name", async () => {
    const text = testOf(`${menu}, expect: {rule: menu}`, `${menu}, expect: {rule: menu}`).replace("case 2", "case 1");
    expect((await run(text)).stdout).toContain('spec.cases[1].name is "case 1", and another case has that name');
  });

  for (const [what, from, to, message] of [
    ["another version", "v1alpha1", "v1", 'apiVersion is "prevail.dev/v1"; allowed: prevail.dev/v1alpha1'],
    [
      "another group",
      "prevail.dev/",
      "prevail.io/",
      'apiVersion is "prevail.io/v1alpha1"; a PolicyTest has prevail.dev/v1alpha1',
    ],
    [
      "a mistyped kind",
      "PolicyTest",
      "PolicyTets",
      "unknown kind 'PolicyTets' in prevail.dev; did you mean 'PolicyTest'?",
    ],
  ] as const) {
    test(what, async () => {
      const { code, stdout } = await run(testOf(`${menu}, expect: {rule: menu}`).replace(from, to));
      expect([code, stdout.replaceAll(/\s+/g, " ")]).toEqual([65, expect.stringContaining(message)]);
    });
  }

  test("beside a test that passes, the exit code is that of the mistake, in every format", async () => {
    const good = testOf(`${menu}, expect: {rule: menu}`);
    const bad = testOf(`${menu}, expect: {rul: menu}`).replace("name: t", "name: bad");
    for (const output of ["", "-o junit", "-o github", "-o json"]) {
      const { code, stdout } = await run(`${good}---\n${bad}`, output);
      expect(code).toBe(65);
      expect(stdout).toMatch(/did you mean (?:'|&#39;)rule/);
    }
  });
});

describe("caveats", () => {
  const files = { ...bakeryWithout("policy-kinds.yaml"), "t.yaml": testOf(`${menu}, expect: {rule: menu}`) };

  test("a pass says so, and fails with --complete and --fail-on caveat", async () => {
    const { code, stdout } = await runCli("test -f brk,t.yaml", { files });
    expect(stdout).toMatch(/ok {4}case 1 \(with \d caveats\)/);
    expect(stdout).toContain("1 case: 1 passed. All that passed did so with caveats, see below.");
    expect(stdout).toContain("\nCaveats\n");
    expect(code).toBe(0);
    for (const option of ["--complete", "--fail-on caveat"])
      expect((await runCli(`test ${option} -f brk,t.yaml`, { files })).code).toBe(1);
  });

  test("junit, github and JSON have them", async () => {
    const output = async (format: string): Promise<string> =>
      (await runCli(`test -o ${format} -f brk,t.yaml`, { files })).stdout;
    expect(await output("junit")).toMatch(/<system-out>caveat: /);
    expect(await output("github")).toMatch(
      /^::notice file=t\.yaml,line=6,col=5,title=t%3A case 1::passed, with caveats: /,
    );
    const json: unknown = JSON.parse(await output("json"));
    expect(json).toMatchObject({ counts: { passed: 1, passedWithCaveats: 1 } });
    expect(schemaViolations("test-report.json", json)).toEqual([]);
  });
});

describe("notes", () => {
  test("an authorization server may refuse the request", async () => {
    const route = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: guarded, namespace: bakery}
spec:
  parentRefs: [{name: prod, namespace: infra}]
  hostnames: [guarded.bakery.example]
  rules:
  - filters: [{type: ExternalAuth, externalAuth: {protocol: HTTP, http: {}, backendRef: {name: baker, port: 8080}}}]
    backendRefs: [{name: baker, port: 8080}]
---
`;
    const { stdout } = await run(
      route + testOf("request: {host: guarded.bakery.example, port: 8080}, expect: {status: 200}"),
    );
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "note: status, attempts: if the authorization server of the ExternalAuth filter allows the request",
    );
  });

  test("a slow backend leaves time for fewer attempts", async () => {
    const { stdout } = await run([`${menu}, responses: [503], expect: {attempts: 6}`]);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /note: attempts: if the backend is slow, the request timeout leaves time for \d only/,
    );
  });
});

test("what -o json prints is what docs/schemas/test-report.json says", async () => {
  const { stdout } = await run(failing, "-o json");
  expect(schemaViolations("test-report.json", JSON.parse(stdout))).toEqual([]);
});

describe("several Gateways", () => {
  const second = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: other, namespace: infra}
spec: {gatewayClassName: house, listeners: [{name: l, protocol: HTTP, port: 8080}]}
---
`;
  test("each that listens must do what is expected; one can be selected", async () => {
    const all = await run(second + testOf(`${menu}, expect: {rule: menu}`));
    expect([all.code, all.stdout]).toEqual([1, expect.stringContaining("Gateway infra/other")]);
    const one = await run(second + testOf(`${menu.replace("host:", "gateway: prod, host:")}, expect: {rule: menu}`));
    expect(one.code).toBe(0);
  });
});

test("behind a Gateway of another controller it is not known how often a request is sent", async () => {
  const foreign = `apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: acme}
spec: {controllerName: acme.example/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: a}
spec: {gatewayClassName: acme, listeners: [{name: l, protocol: HTTP, port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r, namespace: a}
spec: {parentRefs: [{name: g}], rules: [{name: one, backendRefs: [{name: s, port: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: a}
spec: {ports: [{port: 80}]}
---
`;
  const files = { "a.yaml": foreign + testOf("request: {host: x}, responses: [503], expect: {attempts: 1}") };
  const { code, stdout } = await runCli("test -f a.yaml", { files });
  expect(stdout).toContain("attempts: expected 1, got not known: acme.example/gateway decides about retries");
  expect(code).toBe(1);
});
