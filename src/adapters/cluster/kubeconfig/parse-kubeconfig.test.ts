import { describe, expect, test } from "vitest";
import { chooseAccess, serviceAccountAccess } from "./cluster-access.ts";
import { mergeKubeConfigs, parseKubeConfig } from "./parse-kubeconfig.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const config = {
  "current-context": "dev",
  contexts: [
    { name: "dev", context: { cluster: "c1", user: "ana", namespace: "bakery" } },
    { name: "prod", context: { cluster: "c2", user: "ana" } },
  ],
  clusters: [
    { name: "c1", cluster: { server: "https://one:6443", "certificate-authority": "ca.crt" } },
    {
      name: "c2",
      cluster: {
        server: "https://two:6443",
        "certificate-authority-data": base64(PEM),
        "tls-server-name": "api",
        "proxy-url": "http://proxy:3128",
      },
    },
  ],
  users: [
    { name: "ana", user: { token: "t" } },
    { name: "bob", user: { tokenFile: "token", as: "carol", "as-groups": ["dev"] } },
  ],
};
const parsed = parseKubeConfig(config, "/home/ana/.kube/config");

describe("kubeconfig", () => {
  test("the current context gives cluster, user and namespace; relative paths are relative to the file", () => {
    const { context, cluster, user, namespace } = chooseAccess(parsed, {}, {});
    expect([context, cluster.server, cluster.authority, user.token, namespace]).toEqual([
      "dev",
      "https://one:6443",
      { file: "/home/ana/.kube/ca.crt" },
      "t",
      "bakery",
    ]);
  });

  test("--context, --cluster, --user and --as replace parts of it; no namespace is 'default'", () => {
    const prod = chooseAccess(parsed, { context: "prod" }, {});
    expect([prod.cluster.authority, prod.cluster.tlsServerName, prod.cluster.proxyUrl, prod.namespace]).toEqual([
      { data: PEM },
      "api",
      "http://proxy:3128",
      "default",
    ]);
    const mixed = chooseAccess(parsed, { cluster: "c2", user: "bob" }, {});
    expect([mixed.cluster.server, mixed.user.tokenFile, mixed.impersonate]).toEqual([
      "https://two:6443",
      "/home/ana/.kube/token",
      { user: "carol", uid: undefined, groups: ["dev"] },
    ]);
    expect(chooseAccess(parsed, { as: "dora", asGroups: ["ops"] }, {}).impersonate).toEqual({
      user: "dora",
      uid: undefined,
      groups: ["ops"],
    });
  });

  test.each([
    [{ context: "prdo" }, "there is no context 'prdo' in /home/ana/.kube/config; did you mean 'prod'?"],
    [{ cluster: "c3" }, "there is no cluster 'c3' in /home/ana/.kube/config; did you mean 'c1'?"],
    [{ user: "anna" }, "there is no user 'anna' in /home/ana/.kube/config; did you mean 'ana'?"],
    [{ asGroups: ["ops"] }, "--as-group and --as-uid need --as: name a user to act as"],
  ])("a mistake is named: %o", (options, message) => {
    expect(() => chooseAccess(parsed, options, {})).toThrow(message);
  });

  test("of several files the first that has a name wins, as for kubectl", () => {
    const other = parseKubeConfig(
      {
        "current-context": "prod",
        clusters: [
          { name: "c1", cluster: { server: "https://other" } },
          { name: "c9", cluster: { server: "https://nine" } },
        ],
      },
      "/etc/kube",
    );
    const merged = mergeKubeConfigs([parsed, other]);
    expect([
      merged.currentContext,
      merged.clusters.get("c1")?.server,
      merged.clusters.get("c9")?.server,
      merged.files,
    ]).toEqual(["dev", "https://one:6443", "https://nine", ["/home/ana/.kube/config", "/etc/kube"]]);
  });

  test.each([
    [[], "/f is not a kubeconfig file: expected a map at the top"],
    [{ users: [{ user: {} }] }, "/f: users[0].name: expected a name"],
    [
      { users: [{ name: "u", user: { "client-key-data": "AAAA" } }] },
      "/f: users 'u': client-key-data: expected PEM, encoded as base64",
    ],
    [{ users: [{ name: "u", user: { exec: { args: [] } } }] }, "/f: users 'u': exec.command: expected a program"],
  ])("a mistake in a file names the file and the field: %j", (value, message) => {
    expect(() => parseKubeConfig(value, "/f")).toThrow(message);
  });

  test("without a context: the contexts that there are", () => {
    const none = parseKubeConfig({ contexts: config.contexts }, "/f");
    expect(() => chooseAccess(none, {}, {})).toThrow("no current context in /f");
  });

  test("outside of a Pod there is no service account", () => {
    expect(serviceAccountAccess({}, "/nowhere")).toBeUndefined();
    expect(
      serviceAccountAccess({ KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" }, "/nowhere"),
    ).toBeUndefined();
  });
});
