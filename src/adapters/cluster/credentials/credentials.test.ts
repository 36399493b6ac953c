/**
 * Kubernetes, "client-go credential plugins"
 * Kubernetes, "OpenID Connect tokens"
 */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ClusterAccess } from "../kubeconfig/cluster-access.ts";
import type { ExecPlugin, KubeUser } from "../kubeconfig/kubeconfig.ts";
import { parseKubeConfig } from "../kubeconfig/parse-kubeconfig.ts";
import { createCredentials } from "./credentials.ts";

const folder = mkdtempSync(join(tmpdir(), "prevail-credentials-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const accessOf = (user: object, impersonate?: ClusterAccess["impersonate"]): ClusterAccess => {
  const config = parseKubeConfig(
    { clusters: [{ name: "c", cluster: { server: "https://api:6443" } }], users: [{ name: "u", user }] },
    join(folder, "config"),
  );
  const [cluster, own] = [config.clusters.get("c"), config.users.get("u")];
  if (cluster === undefined || own === undefined) throw new Error("both are there");
  return { context: "x", cluster, user: own satisfies KubeUser, namespace: "default", impersonate };
};
const of = (user: object, impersonate?: ClusterAccess["impersonate"], isInteractive = false) =>
  createCredentials(accessOf(user, impersonate), { env: { PATH: process.env["PATH"] }, isInteractive });

describe("credentials", () => {
  test("a token, and whom to act as", async () => {
    expect(await of({ token: "t" }).headers()).toEqual({ authorization: "Bearer t" });
    expect(await of({ token: "t" }, { user: "carol", groups: ["a", "b"] }).headers()).toEqual({
      authorization: "Bearer t",
      "impersonate-user": "carol",
      "impersonate-group": "a\nb",
    });
    expect(await of({ username: "u", password: "p" }).headers()).toEqual({ authorization: "Basic dTpw" });
    expect(await of({}).headers()).toEqual({});
  });

  test("a token file that is replaced is read again", async () => {
    const file = join(folder, "token");
    writeFileSync(file, "one\n");
    const credentials = of({ tokenFile: "token" });
    expect(await credentials.headers()).toEqual({ authorization: "Bearer one" });
    expect(await credentials.renew()).toBe(false);
    writeFileSync(file, "two\n");
    utimesSync(file, 1, 2);
    expect(await credentials.headers()).toEqual({ authorization: "Bearer two" });
    await expect(of({ tokenFile: "absent" }).headers()).rejects.toThrow("the token file");
  });

  test("a certificate without its key is a mistake", () => {
    expect(() => of({ "client-certificate": "a.crt" })).toThrow("but not both");
  });
});

/** A plugin as cloud providers have them: a program that reads its request from the environment. */
function plugin(code: string, more: Partial<ExecPlugin> = {}): object {
  return {
    exec: { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath, args: ["-e", code], ...more },
  };
}
const credential = (status: object): string =>
  `console.log(JSON.stringify({apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: ${JSON.stringify(status)}}))`;

describe("credential plugins", () => {
  test("the token is used until it expires; then the program runs again", async () => {
    const file = join(folder, "count");
    const count = `const fs = require("fs"); const n = fs.existsSync(${JSON.stringify(file)}) ? Number(fs.readFileSync(${JSON.stringify(file)})) + 1 : 1; fs.writeFileSync(${JSON.stringify(file)}, String(n));`;
    const response = (expires: string) =>
      `${count} console.log(JSON.stringify({apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: {token: "t" + n, expirationTimestamp: ${expires}}}))`;
    const kept = of(plugin(response("'2999-01-01T00:00:00Z'")));
    expect(await kept.headers()).toEqual({ authorization: "Bearer t1" });
    expect(await kept.headers()).toEqual({ authorization: "Bearer t1" });
    expect(await kept.renew()).toBe(true);
    expect(await kept.headers()).toEqual({ authorization: "Bearer t2" });
    const short = of(plugin(response("new Date(Date.now() + 1000).toISOString()")));
    expect(await short.headers()).toEqual({ authorization: "Bearer t3" });
    expect(await short.headers()).toEqual({ authorization: "Bearer t4" });
  });

  test("it gets its request, the variables of the kubeconfig file, and gives a certificate", async () => {
    const code = `const request = JSON.parse(process.env.KUBERNETES_EXEC_INFO); console.log(JSON.stringify({apiVersion: request.apiVersion, kind: "ExecCredential", status: {token: [request.spec.interactive, request.spec.cluster.server, process.env.PROFILE].join(" "), clientCertificateData: "CERT", clientKeyData: "KEY"}}))`;
    const credentials = of(plugin(code, { env: [{ name: "PROFILE", value: "dev" }], provideClusterInfo: true }));
    expect(await credentials.headers()).toEqual({ authorization: "Bearer false https://api:6443 dev" });
    expect(await credentials.certificate()).toEqual({ cert: "CERT", key: "KEY" });
  });

  test.each<readonly [string, object, string]>([
    [
      "a program that does not exist",
      { exec: { command: "no-such-plugin", installHint: "Install it." } },
      "the credential plugin no-such-plugin cannot be started",
    ],
    [
      "a program that fails",
      plugin("console.error('log in first'); process.exit(3)"),
      "failed with exit code 3: log in first",
    ],
    ["not JSON", plugin("console.log('hello')"), "printed something that is not JSON"],
    [
      "another version",
      plugin(credential({ token: "t" }).replace("k8s.io/v1", "k8s.io/v1beta1")),
      'printed apiVersion "client.authentication.k8s.io/v1beta1", expected client.authentication.k8s.io/v1',
    ],
    ["nothing in it", plugin(credential({})), "printed neither a token nor a client certificate with its key"],
    ["a terminal is needed", plugin(credential({ token: "t" }), { interactiveMode: "Always" }), "needs a terminal"],
  ])("a mistake names the program: %s", async (_, user, message) => {
    await expect(of(user).headers()).rejects.toThrow(message);
  });
});

describe("OpenID Connect", () => {
  const tokenUntil = (seconds: number): string =>
    `h.${Buffer.from(JSON.stringify({ exp: Math.round(Date.now() / 1000) + seconds })).toString("base64url")}.s`;

  test("an expired token is refreshed once", async () => {
    const asked: string[] = [];
    const fresh = tokenUntil(3600);
    const issuer = createServer((request, response) => {
      const { port } = issuer.address() as { port: number };
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => {
        asked.push(`${request.method} ${request.url} ${body}`);
        const document =
          request.method === "GET"
            ? { token_endpoint: `http://127.0.0.1:${port}/token` }
            : { id_token: fresh, refresh_token: "next" };
        response.end(JSON.stringify(document));
      });
    });
    await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = issuer.address() as { port: number };
      const config = {
        "idp-issuer-url": `http://127.0.0.1:${port}`,
        "client-id": "c",
        "id-token": tokenUntil(-10),
        "refresh-token": "first",
      };
      const credentials = of({ "auth-provider": { name: "oidc", config } });
      expect(await credentials.headers()).toEqual({ authorization: `Bearer ${fresh}` });
      expect(await credentials.headers()).toEqual({ authorization: `Bearer ${fresh}` });
      expect(asked).toEqual([
        "GET /.well-known/openid-configuration ",
        "POST /token grant_type=refresh_token&refresh_token=first",
      ]);
    } finally {
      issuer.close();
    }
  });

  test("without a refresh token: log in again; another provider: it does not exist any more", async () => {
    const expired = of({ "auth-provider": { name: "oidc", config: { "id-token": tokenUntil(-10) } } });
    await expect(expired.headers()).rejects.toThrow("has expired, and there is no refresh token");
    expect(() => of({ "auth-provider": { name: "gcp" } })).toThrow(
      "'gcp' of the kubeconfig file does not exist any more",
    );
  });
});
