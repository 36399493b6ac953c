/** The chart without a cluster: what it renders, and what it refuses. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { expectGolden } from "../support/golden.ts";
import { findHelm } from "../support/kubernetes/find-kubernetes.ts";
import { CHART, FOR_KUBERNETES, renderChart, runHelm } from "../support/kubernetes/helm.ts";
import { controllerRights, formatRight, rightsOfRoles } from "../support/kubernetes/rendered-chart.ts";

const helm = await findHelm();
/** Written at the top of each rendered file. */
const about = (values: string): string =>
  `# Rendered from deploy/chart by test/cluster/chart.test.ts (npm run golden)${values}. Do not edit. docs/install.md says how to use it.\n`;
const limits = { apiGroup: "example.com", kind: "LimitPolicy", resource: "limitpolicies" };
const affected = [
  { apiGroup: "", kind: "Service", resource: "services" },
  { apiGroup: "example.com", kind: "Oven", resource: "ovens", as: "annotations" },
];
const plain = { "namespace.create": true, "crds.install": false };

describe.skipIf(helm === undefined)("the chart", () => {
  const render = (values: Readonly<Record<string, unknown>> = {}): Promise<string> => renderChart(helm ?? "", values);

  test("helm lint has nothing to say", async () => {
    expect(await runHelm(helm ?? "", ["lint", "--strict", ...FOR_KUBERNETES, CHART])).toContain("0 chart(s) failed");
  });

  test("its version is that of the package", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    const chart = readFileSync(`${CHART}/Chart.yaml`, "utf8");
    expect(chart).toContain(`\nversion: ${version}\n`);
    expect(chart).toContain(`\nappVersion: ${version}\n`);
  });

  test.each(["observe", "report", "gateway"])("deploy/manifests/%s.yaml is what it renders", async (mode) => {
    expectGolden(`deploy/manifests/${mode}.yaml`, about(`, mode ${mode}`) + (await render({ ...plain, mode })));
  });

  test("deploy/webhook is what it renders", async () => {
    const rendered = await render({ ...plain, mode: "report", "webhook.mode": "deny" });
    const documents = rendered.split(/^---$/m);
    const select = (...texts: readonly RegExp[]): string =>
      documents
        .filter((document) => texts.some((text) => text.test(document)))
        .join("---")
        .trim();
    const files = {
      warn: select(/^ {2}name: prevail-warn$/m),
      deny: select(/^ {2}name: prevail-deny$/m),
      rights: select(/^ {2}name: prevail-controller-webhook$/m),
      service: select(/^kind: Service\n[\s\S]*name: prevail-view$/m, /^kind: NetworkPolicy$/m),
    };
    for (const [name, text] of Object.entries(files))
      expectGolden(`deploy/webhook/${name}.yaml`, `${about("")}${text}\n`);
  });

  test("deploy/monitoring is what it renders", async () => {
    const rendered = await render({ "monitoring.prometheusRule": true });
    const rule = rendered.split(/^---$/m).find((document) => document.includes("kind: PrometheusRule")) ?? "";
    expectGolden("deploy/monitoring/prometheus-rule.yaml", `${about("")}${rule.trim()}\n`);
    expectGolden("deploy/monitoring/dashboard.json", readFileSync(`${CHART}/files/dashboard.json`, "utf8"));
  });

  test("CRDs stay when it is uninstalled", async () => {
    const rendered = await render();
    const crds = rendered.split(/^---$/m).filter((document) => document.includes("kind: CustomResourceDefinition"));
    expect(crds).toHaveLength(6);
    for (const crd of crds) expect(crd).toContain("helm.sh/resource-policy: keep");
    expect(await render({ "crds.install": false })).not.toContain("kind: CustomResourceDefinition");
  });

  test("with certificates of cert-manager it has no rights to Secrets and APIServices", async () => {
    const rendered = await render({ "certificates.from": "cert-manager" });
    expect(rendered).not.toMatch(/resources: \[(secrets|apiservices)\]/);
    expect(rendered).toContain("cert-manager.io/inject-ca-from: prevail-system/prevail-tls");
    expect(rendered).toContain("--tls-cert=/var/run/prevail/tls/tls.crt");
    expect(await render()).toMatch(/resources: \[secrets\]/);
  });

  test("in the modes observe and report it reads no Secrets of others, EndpointSlices and Pods, and has no wildcards", async () => {
    for (const mode of ["observe", "report"]) {
      const rights = controllerRights(await render({ mode, ...(mode === "report" ? { own: [limits] } : {}) }));
      expect(rights.length).toBeGreaterThan(40);
      const forbidden = /^(\*|secrets|configmaps|pods.*|endpointslices|endpoints)$/;
      const reads = rights.filter(
        ({ verb, resource, name }) => verb !== "create" && forbidden.test(resource) && name === undefined,
      );
      expect(reads.map(formatRight)).toEqual([]);
      expect(rights.filter(({ verb, group }) => verb === "*" || group === "*").map(formatRight)).toEqual([]);
    }
  });

  test("in the mode gateway it writes Secrets, Deployments and Services in its own namespace only, and reads certificates where it may", async () => {
    const rights = controllerRights(await render({ mode: "gateway" }));
    const built = /^(?:secrets|configmaps|serviceaccounts|services|deployments|poddisruptionbudgets)$/;
    const elsewhere = rights.filter(({ namespace, resource }) => namespace === undefined && built.test(resource));
    expect(elsewhere.map(({ verb, resource }) => `${verb} ${resource}`).sort()).toEqual([
      "list configmaps",
      "list secrets",
      "list services",
      "watch configmaps",
      "watch secrets",
      "watch services",
    ]);
    expect(rights.filter(({ verb, group }) => verb === "*" || group === "*").map(formatRight)).toEqual([]);
    const limited = controllerRights(await render({ mode: "gateway", "gateway.certificateNamespaces": ["infra"] }));
    const secrets = limited.filter(({ resource, verb }) => resource === "secrets" && verb === "list");
    expect(new Set(secrets.map(({ namespace }) => namespace))).toEqual(new Set(["infra", "prevail-system"]));
  });

  test("in no mode it may impersonate, give itself rights, make tokens or run commands in Pods, and it has no wildcard and no other role", async () => {
    const kinds = { own: [limits], reportAffected: affected };
    for (const values of [{ mode: "observe" }, { mode: "report", ...kinds }, { mode: "gateway", ...kinds }]) {
      const rendered = await render({ ...values, "webhook.mode": "deny" });
      const rights = controllerRights(rendered);
      const dangerous = rights.filter(
        ({ verb, group, resource }) =>
          /^(?:\*|impersonate|escalate|bind|approve|sign|deletecollection)$/.test(verb) ||
          /^(?:\*|rbac\.authorization\.k8s\.io|certificates\.k8s\.io|authentication\.k8s\.io)$/.test(group) ||
          /\*|^(?:pods|nodes|serviceaccounts)\/|^(?:users|groups|userextras)/.test(resource),
      );
      expect(dangerous.map(formatRight)).toEqual([]);
      const bound = [...rendered.matchAll(/^roleRef: .*name: ([\w-]+)\}$/gm)].map(([, name = ""]) => name);
      const others = bound.filter((name) => !rights.some(({ role }) => role === name));
      // The second one has no rule of its own: it aggregates those with a label.
      expect(new Set(others)).toEqual(
        new Set(["extension-apiserver-authentication-reader", "prevail-controller-policies"]),
      );
    }
  });

  test("roles of users: edit and admin have nothing about the whole cluster, the operator has kinds of Prevail only", async () => {
    const roles = rightsOfRoles(await render(), (name) => /^prevail-(?!controller)/.test(name));
    const of = (role: string): readonly string[] => [
      ...new Set(roles.filter((right) => right.role === role).map(({ group, resource }) => `${resource}.${group}`)),
    ];
    expect(of("prevail-policies-edit")).toEqual(["retrypolicies.prevail.dev", "gatewayparameters.prevail.dev"]);
    expect(of("prevail-policies-view")).toEqual(of("prevail-policies-edit"));
    expect(new Set(roles.map(({ role }) => role))).toEqual(
      new Set(["prevail-view", "prevail-policies-view", "prevail-policies-edit", "prevail-operator"]),
    );
    const groups = new Set(roles.map(({ group }) => group));
    expect(groups).toEqual(new Set(["prevail.dev", "view.prevail.dev"]));
    const viewed = roles.filter(({ group }) => group === "view.prevail.dev").map(({ verb }) => verb);
    expect(new Set(viewed)).toEqual(new Set(["get", "list"]));
  });

  test("each rule of the controller's roles names a test that exists", async () => {
    const files = ["install.test.ts", "install-gateway.test.ts"];
    const source = files.map((file) => readFileSync(`test/cluster/${file}`, "utf8")).join("");
    const webhook = { "webhook.mode": "deny" };
    const certificates = { "gateway.certificateNamespaces": ["infra"] };
    const policyKinds = [{ apiGroup: "example.com", resources: ["limitpolicies", "ovens"] }];
    const kinds = { policyKinds, own: [limits], reportAffected: affected };
    for (const values of [
      { mode: "observe", policyKinds },
      { mode: "report", ...webhook, ...kinds },
      { mode: "gateway", ...webhook, ...kinds },
      { mode: "gateway", ...certificates },
    ]) {
      const rights = controllerRights(await render(values));
      const unnamed = rights.filter(({ test: name }) => name === undefined || !source.includes(`  test("${name}", `));
      expect(unnamed.map(formatRight)).toEqual([]);
    }
  });

  test("of the kinds of reportAffected it may change the status, and objects as a whole only for annotations", async () => {
    const written = async (values: Readonly<Record<string, unknown>>): Promise<readonly string[]> =>
      controllerRights(await render({ mode: "report", ...values })).flatMap(({ verb, resource }) =>
        /^(?:services|ovens)/.test(resource) && !/^(?:get|list|watch)$/.test(verb) ? [`${verb} ${resource}`] : [],
      );
    expect(await written({})).toEqual([]);
    expect(await written({ reportAffected: affected })).toEqual(["update services/status", "update ovens"]);
  });

  test("without the view API: no APIService, no Service and certificate unless there are webhooks, and one replica", async () => {
    const without = await render({ "viewApi.enabled": false, replicas: 1, mode: "report" });
    expect(without).not.toMatch(/kind: APIService|name: prevail-view$|prevail-tls|subjectaccessreviews|front-proxy/m);
    expect(without).not.toMatch(/view\.prevail\.dev|port: https|containerPort: 8443|kind: PodDisruptionBudget/);
    expect(without).toContain("- --listen=off");
    const guarded = await render({ "viewApi.enabled": false, replicas: 1, "webhook.mode": "warn" });
    expect(guarded).toMatch(/name: prevail-view$/m);
    expect(guarded).toContain("- --secret=prevail-tls");
    expect(guarded).not.toMatch(/kind: APIService|targetPort: https|apiservices|subjectaccessreviews/);
    const issued = { "viewApi.enabled": false, replicas: 1, "certificates.from": "cert-manager" };
    expect(await render(issued)).not.toMatch(/cert-manager|prevail-tls|tls-cert/);
    expect(await render({ ...issued, "webhook.mode": "warn" })).toContain("--tls-cert=/var/run/prevail/tls/tls.crt");
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["status in a mode that writes none", { own: [limits] }, "own and reportAffected are about status"],
    ["refusals where nothing is refused", { "webhook.mode": "warn", "webhook.confirmAbove": 5 }, "use the mode deny"],
    ["an unknown mode", { mode: "watch" }, "mode"],
    ["one replica", { replicas: 1 }, "Set replicas to 2 or more, or viewApi.enabled to false"],
    ["a misspelt value", { replica: 2 }, "replica"],
    [
      "affected kinds in another form",
      { mode: "report", reportAffected: [{ ...affected[0], as: "labels" }] },
      "reportAffected",
    ],
    ["rights to everything", { policyKinds: [{ apiGroup: "*", resources: ["*"] }] }, "policyKinds"],
  ])("%s is refused", async (_, values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });
});
