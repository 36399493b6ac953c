import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { findEnvoy, validateBootstrap } from "../../../test/support/gateway/envoy.ts";

const envoy = findEnvoy();

describe("xds dump", () => {
  test.skipIf(envoy === undefined)("prints what Envoy takes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "prevail-secrets-"));
    try {
      const pems = fileURLToPath(new URL("../../../test/support/testdata/tls/", import.meta.url));
      cpSync(pems, join(folder, "infra", "bakery-example-tls"), { recursive: true });
      const words = ["--secrets", folder, "--system-ca", join(pems, "tls.crt")];
      const { code, stdout } = await runCli(["xds", "dump", "-o", "json", "-f", "examples/bakery", ...words]);
      expect(code).toBe(0);
      expect(validateBootstrap(envoy ?? "", JSON.parse(stdout))).toBe(undefined);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("opens the ports of the listeners, or those that they are mapped to", async () => {
    const { stdout } = await runCli("xds dump -f examples/bakery --map-port 8080:18080 --bind 127.0.0.1");
    expect(stdout).toContain('address: "127.0.0.1"\n        port_value: 18080');
    expect(stdout).not.toContain("port_value: 8080\n");
  });

  test("never prints a key: Envoy reads it from a file", async () => {
    const files = { "secret.yaml": TLS };
    const { code, stdout } = await runCli("xds dump -f secret.yaml --secrets /run/keys", { files });
    expect(code).toBe(0);
    expect(stdout).toContain("/run/keys/bakery/shop/tls.key");
    expect(stdout).not.toContain("c2VjcmV0");
  });

  test("notes the settings that Envoy does not support exactly", async () => {
    const { stderr } = await runCli("xds dump -f budget.yaml", { files: { "budget.yaml": BUDGET } });
    expect(stderr).toContain(
      "HTTPRoute bakery/baker: spec.rules: rule-1: Envoy cannot enforce a retry budget together",
    );
  });

  test.each([
    ["xds dump absent -f examples/bakery", "there is no Gateway 'absent': the files have "],
    ["xds dump -f empty.yaml", "there is no Gateway in the files"],
    ["xds dump -f examples/bakery --map-port 80", "--map-port is '80'"],
    ["xds dump -f examples/bakery --admin-port x", "--admin-port is 'x'"],
    ["xds dump -f examples/bakery --envoy-heap 8", "--envoy-heap is '8'"],
    ["xds dump -f examples/bakery --trusted-hops some", "--trusted-hops is 'some'"],
    ["xds dump one two -f examples/bakery", "unexpected argument 'two'"],
    ["xds", "no subcommand given: name one of serve, dump, bootstrap, status"],
    ["xds dmp", "unknown subcommand 'dmp': xds knows serve, dump, bootstrap, status"],
    ["xds serve", "nothing to serve"],
    ["xds serve -f examples/bakery --listen 0.0.0.0:18000", "0.0.0.0:18000 is not the loopback"],
    [
      "xds serve -f examples/bakery --listen 127.attacker.example:18000",
      "is not the loopback, and keys are sent there",
    ],
    ["xds serve -f examples/bakery --listen here", "--listen is 'here'"],
    ["xds status --status-port 1", "no xDS server is listening on 127.0.0.1:1"],
    ["xds status --status-port x", "--status-port is 'x'"],
  ])("%s: refused", async (line, words) => {
    const setup = line.includes("empty.yaml") ? { files: { "empty.yaml": NAMESPACE } } : {};
    const { code, stderr } = await runCli(line, setup);
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
  });
});

describe("xds bootstrap", () => {
  test.skipIf(envoy === undefined)("prints what Envoy takes", async () => {
    const { stdout } = await runCli("xds bootstrap bakery/door --admin-port 9901 -o json");
    const bootstrap: unknown = JSON.parse(stdout);
    expect(validateBootstrap(envoy ?? "", bootstrap)).toBe(undefined);
    expect(bootstrap).toMatchObject({ node: { id: "bakery-door", cluster: "bakery/door" } });
  });

  test("connects to a Unix socket", async () => {
    const { code, stdout } = await runCli("xds bootstrap bakery/door --server unix:/run/prevail/xds.sock");
    expect(code).toBe(0);
    expect(stdout).toContain("path: /run/prevail/xds.sock");
  });

  test("names the files of the client certificate", async () => {
    const line = "xds bootstrap bakery/door --server xds.example:443 --cert /c.crt --key /c.key --ca /ca.crt --node n1";
    const { code, stdout } = await runCli(line);
    expect(code).toBe(0);
    for (const word of ["/c.crt", "/c.key", "/ca.crt", "sni: xds.example", "STRICT_DNS", "id: n1"]) {
      expect(stdout).toContain(word);
    }
  });

  test.each([
    ["xds bootstrap", "give the gateway"],
    ["xds bootstrap door", "'door': give the gateway as NAMESPACE/NAME"],
    ["xds bootstrap bakery/door --server nowhere", "--server is 'nowhere'"],
    ["xds bootstrap bakery/door --server xds.example:80", "xds.example:80 is not the loopback"],
    ["xds bootstrap bakery/door --server 127.attacker.example:80", "is not the loopback, and keys are sent there"],
    ["xds bootstrap bakery/door --cert a", "--cert, --key and --ca go together"],
  ])("%s: refused", async (line, words) => {
    const { code, stderr } = await runCli(line);
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
  });
});

const NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: bakery}}\n";

const GATEWAY_API = "gateway.networking.k8s.io/v1";

const TLS = `
{apiVersion: ${GATEWAY_API}, kind: Gateway, metadata: {name: door, namespace: bakery}, spec: {gatewayClassName: house, listeners: [
  {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: shop}]}}]}}
---
{apiVersion: v1, kind: Secret, type: kubernetes.io/tls, metadata: {name: shop, namespace: bakery}, data: {tls.crt: c2VjcmV0, tls.key: c2VjcmV0}}
`;

const BUDGET = `
{apiVersion: ${GATEWAY_API}, kind: Gateway, metadata: {name: door, namespace: bakery}, spec: {gatewayClassName: house, listeners: [
  {name: http, port: 80, protocol: HTTP}]}}
---
{apiVersion: ${GATEWAY_API}, kind: HTTPRoute, metadata: {name: baker, namespace: bakery}, spec: {parentRefs: [{name: door}], rules: [
  {backendRefs: [{name: bread, port: 80}]}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: bread, namespace: bakery}, spec: {ports: [{port: 80}]}}
---
{apiVersion: prevail.dev/v1alpha1, kind: RetryPolicy, metadata: {name: retries, namespace: bakery}, spec: {
  targetRefs: [{group: gateway.networking.k8s.io, kind: HTTPRoute, name: baker}], defaults: {retry: {backoff: 100ms, budget: {percent: 20}}}}}
`;
