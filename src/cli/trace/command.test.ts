import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { limitPolicy, smallCluster } from "../../../test/support/cli/check-text.ts";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { expectGolden } from "../../../test/support/golden.ts";

const golden = (name: string): string => fileURLToPath(new URL(`./testdata/${name}.txt`, import.meta.url));

const menu = "trace GET http://baker.bakery.example:8080/menu -f examples/bakery";

describe("trace", () => {
  test.each([
    ["menu-60", menu, 60],
    ["menu-120", menu, 120],
    ["order", "trace POST http://baker.bakery.example:8080/orders/7 -f examples/bakery", 100],
    ["grpc", "trace POST https://oven.bakery.example:8443/bakery.Oven/Bake -f examples/bakery", 100],
    ["no-match", "trace GET http://www.bakery.example:8080/bread -f examples/bakery", 100],
    ["no-listener", "trace GET http://baker.bakery.example/menu -f examples/bakery", 100],
  ])("%s", async (name, line, columns) => {
    const { stdout, stderr, code } = await runCli(line, { columns });
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expectGolden(golden(name), stdout);
  });

  test("a policy that the controller of the gateway does not carry out is listed with the reason, and hidden by --redact", async () => {
    const foreign = smallCluster.replace(
      "  class: Inherited\n",
      "  class: Inherited\n  controllers: [other.io/ctrl]\n",
    );
    const files = { "a.yaml": foreign + limitPolicy("p", "HTTPRoute", "limits: {one: {rate: 1}}") };
    const line = "trace GET http://x.example/ -f a.yaml";
    const { stdout } = await runCli(line, { files, columns: 200 });
    expect(stdout).toContain("takes effect on this path");
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /Policies without effect on this path LimitPolicy a\/p \(a\.yaml:\d+\): NoController: no controller enforces it here: Gateway a\/g belongs to prevail\.dev\/gateway, and LimitPolicy is carried out by other\.io\/ctrl/,
    );
    const json = await runCli(`${line} -o json`, { files });
    const { gateways } = JSON.parse(json.stdout) as {
      readonly gateways: ReadonlyArray<{ readonly failures: object[] }>;
    };
    expect(gateways[0]?.failures).toEqual([
      expect.objectContaining({ policy: expect.objectContaining({ name: "p" }), reason: "NoController" }),
    ]);
    const redacted = await runCli(`${line} --redact -n b`, { files });
    expect(redacted.stdout).not.toContain("a/p");
  });

  test("prints both budgets: that of the RetryPolicy and that of the backend", async () => {
    const policies = `apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: till, namespace: shop}
spec:
  targetRefs: [{group: "", kind: Service, name: till}]
  retry: {budget: {percent: 30, interval: 5s}}
---
apiVersion: gateway.networking.x-k8s.io/v1alpha1
kind: XBackendTrafficPolicy
metadata: {name: till, namespace: shop}
spec:
  targetRefs: [{group: "", kind: Service, name: till}]
  retryConstraint: {budget: {percent: 10}, minRetryRate: {count: 1}}
`;
    const line = "trace GET https://shop.bakery.example:8443/ -f examples/bakery -f -";
    const { stdout, stderr } = await runCli(line, { columns: 200, stdin: policies });
    expect(stderr).toBe("");
    const story = stdout.replaceAll(/\s+/g, " ");
    expect(story).toContain(
      "Budget: retries may be 30 % of the requests within 5s, or 10 retries in 1s, whichever is more. ",
    );
    expect(story).toContain(
      "Budget of Service shop/till: retries may be 10 % of the requests within 10s, or 1 retry in 1s, whichever is more. ",
    );
  });

  test("-o json has the facts of the story", async () => {
    const { stdout } = await runCli(`${menu} -o json`);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "Trace",
      request: { method: "GET", host: "baker.bakery.example", port: 8080, path: "/menu" },
      gateways: [
        {
          outcome: "Routed",
          listener: { name: "http" },
          winner: { rule: "menu", matchIndex: 0 },
          losers: [{ rule: "rule-2", lostBy: "the longer path" }],
          backends: [
            { name: "baker", weight: 9 },
            { name: "baker-next", weight: 1 },
          ],
        },
      ],
    });
  });

  test("a Host header says which host is meant", async () => {
    const { stdout } = await runCli(
      ["trace", "GET", "http://127.0.0.1:8080/menu", "-H", "Host: baker.bakery.example", "-f", "examples/bakery"],
      {},
    );
    expect(stdout).toContain("#menu");
  });

  test.each([
    ["trace -f examples/bakery", "no request given: give METHOD and URL"],
    ["trace GET ftp://x -f examples/bakery", "begin with http:// or https://"],
    ["trace GET http:// -f examples/bakery", "is not a valid URL"],
    ["trace G@T http://x/ -f examples/bakery", "is not an HTTP method"],
    ["trace GET http://x/ -H nonsense -f examples/bakery", "write -H 'name: value'"],
    ["trace GET http://x/ --gateway prd -f examples/bakery", "did you mean 'prod'"],
  ])("%s is refused in plain words", async (line, message) => {
    const { stdout, stderr, code } = await runCli(line);
    expect({ stdout, code }).toEqual({ stdout: "", code: 64 });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("every listening gateway is printed; a missing backend gives 500", async () => {
    const gateway = (name: string): string =>
      `apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: ${name}, namespace: a}\nspec:\n  gatewayClassName: c\n  listeners: [{name: http, port: 80, protocol: HTTP}]\n`;
    const route = `apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r, namespace: a}\nspec:\n  parentRefs: [{name: one}, {name: two}]\n  rules: [{backendRefs: [{name: absent, port: 80}]}]\n`;
    const { stdout } = await runCli("trace GET http://any.example/ -f all.yaml", {
      files: { "all.yaml": [gateway("one"), gateway("two"), route].join("---\n") },
    });
    expect(stdout).toContain("2 gateways listen for this request");
    expect(stdout).toContain("Gateway a/one");
    expect(stdout).toContain("Gateway a/two");
    expect(stdout).toContain("Backend absent:80: 500, as no Service 'absent' in namespace 'a'");
  });

  test("a TLS listener with a more specific hostname gets the connection, so no request is seen", async () => {
    const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: a}
spec:
  gatewayClassName: c
  listeners:
  - {name: web, port: 443, protocol: HTTPS, hostname: "*.example", tls: {certificateRefs: [{name: c}]}}
  - {name: pass, port: 443, protocol: TLS, hostname: db.example, tls: {mode: Passthrough}}
`;
    const story = async (host: string): Promise<string> =>
      (await runCli(`trace GET https://${host}/ -f a.yaml`, { files: { "a.yaml": gateway } })).stdout.replaceAll(
        /\s+/g,
        " ",
      );
    expect(await story("db.example")).toContain(
      "listener pass of Gateway a/g has protocol TLS and the more specific hostname db.example: it forwards the connection as it is",
    );
    expect(await story("web.example")).not.toContain("forwards the connection");
  });

  describe("what only the data plane refuses", () => {
    const story = async (text: string): Promise<string> => {
      const { stdout } = await runCli("trace GET http://any.example/ -f all.yaml", {
        files: { "all.yaml": text },
        columns: 300,
      });
      return stdout.replaceAll(/\s+/g, " ");
    };
    const changed = (from: string, to: string): string => {
      expect(smallCluster).toContain(from);
      return smallCluster.replace(from, to);
    };
    const withFilter = (filter: string): string =>
      changed("  - name: one\n", `  - name: one\n    filters: [${filter}]\n`);
    const tlsPolicy = `---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: t, namespace: a}
spec: {targetRefs: [{group: "", kind: Service, name: s}], validation: {hostname: s.example}}
`;
    const NONE = "The gateway responds with 500, as no backend can be asked.";

    test.each([
      [
        "a port that the Service does not have",
        changed("{name: s, port: 80}", "{name: s, port: 81}"),
        [NONE, "Backend s:81: 500, as Service a/s has no port 81"],
      ],
      [
        "one of two backends: its share",
        changed("[{name: s, port: 80}]", "[{name: s, port: 80}, {name: s, port: 81}]"),
        [
          "Backend s:80, 50 % (weight 1 of 2) Backend",
          "Backend s:81, 50 % (weight 1 of 2): 500, as Service a/s has no port 81",
        ],
      ],
      [
        "an appProtocol that is not served",
        changed("{name: web, port: 80}", "{name: web, port: 80, appProtocol: redis}"),
        [NONE, "Backend s:80: 500, as port 80 of Service a/s has appProtocol 'redis', which is not supported"],
      ],
      [
        "TLS to a backend that cannot be set up",
        smallCluster + tlsPolicy,
        [NONE, "500, as BackendTLSPolicy a/t has neither validation.caCertificateRefs nor wellKnownCACertificates"],
      ],
      [
        "a filter that cannot be followed, before any redirect",
        withFilter("{type: ExtensionRef, extensionRef: {group: example.com, kind: Filter, name: f}}"),
        [
          "The gateway responds with 500, as spec.rules[0].filters[0]",
          "filters of type ExtensionRef are not supported",
        ],
      ],
      [
        "a listener that is not served",
        changed("protocol: HTTP, port: 80}", "protocol: HTTP, port: 80, filters: {}}"),
        ["No listener accepts it.", "http: the gateway does not serve it: filters of listeners are not supported"],
      ],
    ])("%s", async (_, text, expected) => {
      const output = await story(text);
      for (const words of expected) expect(output).toContain(words);
    });

    test("where all is well, no 500", async () => expect(await story(smallCluster)).not.toContain("500"));
  });
});
