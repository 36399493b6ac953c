import { sign } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/core/model/json.ts";
import { type CliResult, runCli } from "../support/cli/run-cli.ts";
import { customResourceDefinition } from "../support/crd/custom-resource.ts";
import { applyBakery } from "../support/kubernetes/apply-bakery.ts";
import { type ControlPlane, kubeconfigText, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_START, CLUSTER_TEST, until, untilEstablished } from "../support/kubernetes/until.ts";

const parts = await findKubernetes();

describe.skipIf(parts === undefined)("the bakery in a cluster", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let proxy: Server;
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts, { users: { ana: [], bo: [], carl: [] } });
    proxy = await startRefusingProxy();
    await applyBakery(plane);
    const rights = [rightsIn("bakery", "ana"), rightsIn("bakery", "bo"), rightsIn("infra", "bo")];
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: rights }));
  }, CLUSTER_START);
  afterAll(async () => {
    proxy?.close();
    await plane?.close();
  });

  const inCluster = (line: string, kubeconfig = plane.kubeconfig): Promise<CliResult> =>
    runCli(`${line} --kubeconfig ${kubeconfig}`);
  const kubeconfigOf = (user: string, namespace?: string): string => {
    const file = join(plane.folder, `kubeconfig-${user}`);
    const { server, authority } = plane;
    const named = namespace === undefined ? {} : { namespace };
    writeFileSync(file, kubeconfigText({ server, authority, token: plane.token(user), ...named }));
    return file;
  };

  test.each([
    "explain httproute/baker -n bakery",
    "explain gateway/prod -n infra",
    "explain service/oven -n bakery",
    "explain httproute/counter -n shop",
    "reach retrypolicy/friday-fix -n infra",
    "reach authpolicy/front-door -n infra",
    "plan --delete retrypolicy/friday-fix -n infra",
    "plan --delete authpolicy/front-door -n infra",
    "get policies -A",
    "get effective -A",
    "how httproute/baker#order retry.attempts=0 -n bakery",
    "trace GET http://baker.bakery.example/menu",
    "status -A",
    "get targets -n bakery",
    "get targets -n infra",
    "get definitions authpolicy",
    "get definitions retrypolicy",
    "explain gatewayclass/house",
    "explain namespace/shop",
    "explain grpcroute/oven -n bakery",
    "reach clusterretrypolicy/house-rules",
    "plan --delete namespace/shop",
    "graph -n bakery",
  ])("%s says the same as on files", async (line) => {
    const [fromFiles, fromCluster] = [
      await runCli(`${line} -o json -f examples/bakery --complete`),
      await inCluster(`${line} -o json`),
    ];
    expect(fromCluster.stderr).toBe("");
    expect(comparable(JSON.parse(fromCluster.stdout) as Json)).toEqual(
      comparable(JSON.parse(fromFiles.stdout) as Json),
    );
  });

  test("check finds the same, but for Secrets, which are not read, and positions", async () => {
    const findingsOf = ({ stdout }: CliResult): readonly string[] => {
      const { items } = JSON.parse(stdout) as {
        items: { code: string; message: string; object?: Json; field?: string }[];
      };
      // The bakery has no CRDs; those of this test have no schema.
      const own = items.filter(({ code }) => code !== "InvalidCertificateRef" && code !== "PolicyCrdIncomplete");
      return own.map(({ code, object, field }) => JSON.stringify([code, object, field])).sort();
    };
    const [fromFiles, fromCluster] = [
      await runCli("check -o json -f examples/bakery --complete"),
      await inCluster("check -A -o json"),
    ];
    expect(findingsOf(fromCluster)).toEqual(findingsOf(fromFiles));
    expect(findingsOf(fromCluster).length).toBeGreaterThan(3);
    const { stdout } = await inCluster("get definitions authpolicy -o wide");
    expect(stdout).toContain("in the cluster");
  });

  test("the namespace of the context is the default, as for kubectl; -A is all", async () => {
    const shop = kubeconfigOf("admin", "shop");
    const names = async (line: string): Promise<string> => (await inCluster(`${line} -o name`, shop)).stdout;
    expect(await names("get policies")).not.toContain("friday-fix");
    expect(await names("get policies -A")).toContain("friday-fix");
    expect(await names("explain httproute/counter")).toContain("retrypolicy");
  });

  test("plan --apply FILE against the live cluster", async () => {
    const { stdout, code } = await inCluster("plan --apply docs/guide/no-double-orders.yaml");
    expect(code).toBe(0);
    expect(stdout).toContain("RetryPolicy bakery/no-double-orders");
  });

  test("with rights in one namespace the answer is right as far as it goes, and says what is missing", async () => {
    const { stdout, code } = await inCluster("explain httproute/baker", kubeconfigOf("ana", "bakery"));
    expect(code).toBe(0);
    expect(stdout).toContain("RetryPolicy bakery/baker-retries");
    expect(stdout).not.toContain("friday-fix");
    const words = stdout.replaceAll(/\s+/g, " ");
    expect(words).toContain("list clusterretrypolicies.prevail.dev");
    expect(words).toContain("gatewayclasses.gateway.networking.k8s.io");
    expect(words).toContain("outside of namespace bakery, list backendtlspolicies");
    expect(words).not.toContain("with -f");
  });

  test("with rights in two namespaces, the one that objects name is read too, and the answer has both", async () => {
    const file = kubeconfigOf("bo", "bakery");
    const { stdout, code } = await inCluster("explain httproute/baker", file);
    expect(code).toBe(0);
    expect(stdout).toContain("RetryPolicy infra/friday-fix");
    const words = stdout.replaceAll(/\s+/g, " ");
    expect(words).toContain("outside of namespaces bakery, infra, list backendtlspolicies");
    expect(words).toContain("list customresourcedefinitions.apiextensions.k8s.io, so policy kinds without");
    const reached = await inCluster("reach retrypolicy/friday-fix -n infra", file);
    expect(reached.stdout).toContain("HTTPRoute bakery/baker");
    const ended = new AbortController();
    const onOutput = (): void => ended.abort();
    const followed = await runCli(`explain httproute/baker -w --kubeconfig ${file}`, {
      signal: ended.signal,
      onOutput: (text) => text.includes("outside of namespaces") && onOutput(),
    });
    expect(followed).toEqual({ code: 0, stderr: "", stdout });
  });

  test.each<readonly [string, readonly string[], readonly string[]]>([
    [
      "names in the namespace of the context",
      ["explain", "httproute/"],
      ["httproute/counter", "httproute/party", "httproute/stocktaking"],
    ],
    ["names in another namespace", ["explain", "-n", "bakery", "svc/"], ["svc/baker", "svc/baker-next", "svc/oven"]],
    ["names after a kind", ["reach", "-A", "retrypolicy", "fr"], ["friday-fix"]],
    [
      "sections",
      ["explain", "-n", "bakery", "httproute/baker#"],
      ["httproute/baker#order", "httproute/baker#rule-2", "httproute/baker#menu"],
    ],
    ["kinds that the server has", ["explain", "httpr"], ["httproute/"]],
    ["namespaces", ["explain", "-n", "ba"], ["bakery"]],
    ["rules of a policy", ["reach", "-n", "infra", "retrypolicy/friday-fix", "--rule", "retry.a"], ["retry.attempts"]],
    ["contexts of the kubeconfig file", ["explain", "--context", ""], ["test"]],
    ["nothing, where the server is not there", ["explain", "--kubeconfig", "NO-SERVER", "svc/"], []],
  ])("completion of live names: %s", async (_, line, expected) => {
    const env = { KUBECONFIG: kubeconfigOf("admin", "shop"), XDG_CACHE_HOME: join(plane.folder, "cache") };
    const words = line.map((word) => (word === "NO-SERVER" ? noServer(plane) : word));
    const { stdout, stderr, code } = await runCli(["completion", "words", "--", ...words], { env });
    const found = stdout.trimEnd().split("\n").slice(0, -1);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(found.map((one) => one.split("\t")[0])).toEqual(expected);
  });

  test("names are kept for a few seconds, in a file that only the user may read", async () => {
    const cache = join(plane.folder, "own-cache");
    const env = { KUBECONFIG: kubeconfigOf("admin", "shop"), XDG_CACHE_HOME: cache };
    await runCli(["completion", "words", "--", "explain", "svc/"], { env });
    const folder = join(cache, "prevail", "completion");
    const files = readdirSync(folder).map((file) => join(folder, file));
    const kept = files.filter((file) => readFileSync(file, "utf8").includes("till"));
    expect(kept).toHaveLength(1);
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual(files.map(() => 0o600));
    // The next completion reads the file, and not the server.
    const [file = ""] = kept;
    writeFileSync(file, readFileSync(file, "utf8").replace("till", "kept-till"));
    const { stdout } = await runCli(["completion", "words", "--", "explain", "svc/"], { env });
    expect(stdout).toContain("svc/kept-till");
  });

  test("--blame: the tool that last wrote a value, and the age of its policy", async () => {
    const policy = ["retrypolicy.prevail.dev/blamed", "-n", "shop"];
    const apply = ["apply", "--server-side", "--field-manager", "argocd", "-f", "-"];
    await plane.kubectl(apply, JSON.stringify(blamedPolicy));
    const edit = JSON.stringify({ spec: { overrides: { timeouts: { request: "8s" } } } });
    await plane.kubectl(["patch", ...policy, "--type=merge", "--field-manager", "kubectl-edit", "-p", edit]);
    try {
      const { stdout, code } = await inCluster("explain httproute/counter -n shop --blame");
      const words = stdout.replaceAll(/\s+/g, " ");
      expect(code).toBe(0);
      expect(words).toMatch(
        /timeouts.request: 8s from RetryPolicy shop\/blamed, overrides last written with kubectl-edit, at the latest 20\d\d-\d\d-\d\d \d\d:\d\d UTC; the policy is \S+ old/,
      );
      expect(words).toMatch(
        /timeouts.backendRequest: 2s from RetryPolicy shop\/blamed, overrides last written with argocd/,
      );
      const json = await inCluster("explain httproute/counter -n shop --blame -o json");
      expect(json.stdout).toContain('"manager": "kubectl-edit"');
    } finally {
      await plane.kubectl(["delete", ...policy]);
    }
  });

  test("where CRDs may not be listed, a kind that looks like a policy is read, and is a caveat", async () => {
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavourCrd));
    await untilEstablished(plane.kubectl);
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavour));
    try {
      const published = async (): Promise<boolean> =>
        (await inCluster("explain httproute/baker", kubeconfigOf("ana", "bakery"))).stdout.includes("FlavourPolicy");
      // The server publishes the schema in a moment.
      await until(published);
      const { stdout } = await inCluster("explain httproute/baker -o json", kubeconfigOf("ana", "bakery"));
      const { caveats } = JSON.parse(stdout) as { caveats: { code: string; message: string }[] };
      expect(caveats.find(({ code }) => code === "UnknownPolicyKind")?.message).toContain("FlavourPolicy");
    } finally {
      await plane.kubectl(["delete", "crd", "flavourpolicies.example.com"]);
    }
  });

  test.each<readonly [string, string, () => string, string]>([
    [
      "a token that has expired",
      "get policies",
      () => `--kubeconfig ${expiredToken(plane)}`,
      "does not accept the credentials of the context 'test'",
    ],
    [
      "a proxy that refuses",
      "get policies",
      () => `--kubeconfig ${behindProxy(plane, proxy)}`,
      "(context 'test') cannot be reached: the proxy http://127.0.0.1:",
    ],
    [
      "a credential plugin that fails",
      "get policies",
      () => `--kubeconfig ${failingPlugin(plane)}`,
      "(context 'test'): the credential plugin false failed with exit code 1",
    ],
    [
      "no rights at all",
      "get policies",
      () => `--kubeconfig ${kubeconfigOf("carl")}`,
      "may not list anything that is needed",
    ],
    [
      "a context that does not exist",
      "get policies",
      () => `--kubeconfig ${plane.kubeconfig} --context tset`,
      "there is no context 'tset'",
    ],
    [
      "files and a cluster",
      "get policies -f examples/bakery",
      () => "--context test",
      "--context is about a cluster, and -f about files: leave one of them out",
    ],
    [
      "a token that is not accepted",
      "get policies",
      () => `--kubeconfig ${badToken(plane)}`,
      "does not accept the credentials of the context 'test'",
    ],
    [
      "a server that is not there",
      "get policies",
      () => `--kubeconfig ${noServer(plane)}`,
      "https://127.0.0.1:1 (context 'test') cannot be reached: the connection is refused",
    ],
    [
      "another certificate authority",
      "get policies",
      () => `--kubeconfig ${otherAuthority(plane)}`,
      "(context 'test') has a certificate of an unknown authority",
    ],
  ])("one line, and no stack trace: %s", async (_, line, options, message) => {
    const { stdout, stderr, code } = await runCli(`${line} ${options()}`);
    // Lines are wrapped; what to do about it comes below.
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at |internal error/);
    expect([stdout, code === 0]).toEqual(["", false]);
  });
});

/** A service account's token whose time is over, signed by the key that the server trusts. */
function expiredToken(plane: ControlPlane): string {
  const claims = {
    iss: "https://prevail.test",
    aud: ["https://prevail.test"],
    sub: "system:serviceaccount:default:default",
    iat: 1_700_000_000,
    nbf: 1_700_000_000,
    exp: 1_700_003_600,
    "kubernetes.io": { namespace: "default", serviceaccount: { name: "default", uid: "1" } },
  };
  const text = [{ alg: "RS256", typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(text), readFileSync(join(plane.folder, "sa.key"))).toString("base64url");
  const { server, authority } = plane;
  return write(plane, "expired", kubeconfigText({ server, authority, token: `${text}.${signature}` }));
}

/** An HTTP proxy that lets no connection pass. */
async function startRefusingProxy(): Promise<Server> {
  const server = createServer((_, response) => response.writeHead(403).end());
  server.on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function changedConfig(plane: ControlPlane, name: string, change: (config: KubeConfigFile) => void): string {
  const config = JSON.parse(readFileSync(plane.kubeconfig, "utf8")) as KubeConfigFile;
  change(config);
  return write(plane, name, JSON.stringify(config));
}
interface KubeConfigFile {
  clusters: { cluster: Record<string, unknown> }[];
  users: { user: Record<string, unknown> }[];
}
const behindProxy = (plane: ControlPlane, proxy: Server): string =>
  changedConfig(plane, "behind-proxy", ({ clusters: [first] }) => {
    const { port } = proxy.address() as AddressInfo;
    if (first !== undefined) first.cluster["proxy-url"] = `http://127.0.0.1:${port}`;
  });
const failingPlugin = (plane: ControlPlane): string =>
  changedConfig(plane, "failing-plugin", ({ users: [first] }) => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "false", interactiveMode: "Never" };
    if (first !== undefined) first.user = { exec };
  });

const write = (plane: ControlPlane, name: string, text: string): string => {
  const file = join(plane.folder, name);
  writeFileSync(file, text);
  return file;
};
const badToken = ({ server, authority, ...plane }: ControlPlane): string =>
  write({ server, authority, ...plane }, "bad-token", kubeconfigText({ server, authority, token: "wrong" }));
const noServer = (plane: ControlPlane): string =>
  write(plane, "no-server", kubeconfigText({ server: "https://127.0.0.1:1", authority: plane.authority, token: "t" }));
const otherAuthority = (plane: ControlPlane): string => {
  const authority = join("test", "support", "testdata", "tls", "tls.crt");
  return write(
    plane,
    "other-authority",
    kubeconfigText({ server: plane.server, authority: join(process.cwd(), authority), token: "t" }),
  );
};

/** What must be the same: everything but positions, creation times, and what is reported about missing files. */
function comparable(value: Json): Json {
  if (isJsonList(value)) return value.filter((item) => !isPending(item)).map(comparable);
  if (!isJsonObject(value)) return value;
  const left = Object.entries(value).filter(([key]) => !DIFFERENT.has(key));
  return Object.fromEntries(left.map(([key, item]) => [key, comparable(item)]));
}

/** The conditions that the CRD of Gateway gives an object without status, and those that rest on Secrets, which are not read, or on CRDs, which the files do not have. */
const isPending = (item: Json): boolean =>
  isJsonObject(item) &&
  (item["reason"] === "Pending" ||
    ["ResolvedRefs", "Programmed", "SupportedVersion"].some((type) => item["type"] === type));

const DIFFERENT: ReadonlySet<string> = new Set([
  // Secrets of a cluster are not read, so that one does not exist is not known.
  "problems",
  "at",
  "source",
  "position",
  "file",
  "line",
  "column",
  "caveats",
  "creationTimestamp",
  "created",
  "resourceVersion",
  "observedGeneration",
  "prevail.dev/origin",
]);

const blamedPolicy = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name: "blamed", namespace: "shop" },
  spec: {
    targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "counter" }],
    overrides: { timeouts: { request: "7s", backendRequest: "2s" } },
  },
};

/** Everything in one namespace, nothing elsewhere. */
const rightsIn = (namespace: string, user: string): JsonObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: user, namespace },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
});

const text = { type: "string" };
const flavourCrd = customResourceDefinition({
  kind: "FlavourPolicy",
  plural: "flavourpolicies",
  spec: {
    type: "object",
    properties: {
      taste: text,
      targetRefs: { type: "array", items: { type: "object", properties: { group: text, kind: text, name: text } } },
    },
  },
});
const flavour = {
  apiVersion: "example.com/v1",
  kind: "FlavourPolicy",
  metadata: { name: "icing", namespace: "bakery" },
  spec: {
    targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "baker" }],
    taste: "sweet",
  },
};
