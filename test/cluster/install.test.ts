/** The chart in a cluster: installed with helm, upgraded, rolled back and removed, with the rights that it gives and no others. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { GATEWAY_EXISTS_FINALIZER } from "../../src/core/gateway-status/class-finalizer.ts";
import { canChangeRoot, makeImageRoot } from "../support/image/image-root.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import {
  type ControllerProcess,
  runProgram,
  startContainer,
  startController,
} from "../support/kubernetes/controller-process.ts";
import { findHelm, findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CHART, renderChart, runHelm, valueArgs } from "../support/kubernetes/helm.ts";
import { copyNextVersion, NEXT_MESSAGE, NEXT_VERSION } from "../support/kubernetes/next-version.ts";
import { buildProgram } from "../support/kubernetes/program-process.ts";
import {
  controllerArgs,
  controllerRights,
  formatRight,
  podOf,
  type Right,
  usesRight,
} from "../support/kubernetes/rendered-chart.ts";
import { createRequestLog, type RequestEvent, type RequestLog } from "../support/kubernetes/request-log.ts";
import { until, untilEstablished } from "../support/kubernetes/until.ts";
import { type Balancer, startBalancer, untilServed, VIEW_NAMESPACE } from "../support/kubernetes/view-replica.ts";
import { whileAsking } from "../support/kubernetes/while-asking.ts";
import { clusterObjects, coverageRule, foreignCrds, ovenPolicy, reportedObjects } from "./install-objects.ts";

const parts = await findKubernetes();
const helm = await findHelm();
const CONTROLLER = `system:serviceaccount:${VIEW_NAMESPACE}:prevail-controller`;
const API_SERVICE = "v1alpha1.view.prevail.dev";
/** Values that differ from the defaults: the port of this machine that stands for the Service, the mode with the most rights, and a vendor's policies. */
const valuesAt = (port: number, webhookPort: number) => ({
  "viewApi.port": port,
  "webhook.port": webhookPort,
  "webhook.mode": "deny",
  mode: "report",
  policyKinds: [
    { apiGroup: "policies.example.com", resources: ["authpolicies"] },
    { apiGroup: "kitchen.example.com", resources: ["ovens"] },
  ],
  own: [{ apiGroup: "policies.example.com", kind: "LimitPolicy", resource: "limitpolicies" }],
  reportAffected: [
    { apiGroup: "", kind: "Service", resource: "services" },
    { apiGroup: "kitchen.example.com", kind: "Oven", resource: "ovens", as: "annotations" },
  ],
});

describe.skipIf(parts === undefined || helm === undefined)("the chart in a cluster", { timeout: 300_000 }, () => {
  let plane: ControlPlane;
  let balancer: Balancer;
  /** In front of the webhooks of the replicas. */
  let webhooks: Balancer;
  let audit: RequestLog;
  let rendered = "";
  let replicas: readonly ControllerProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), "prevail-install-"));
  /** The requests of the controller, by the test in which they were made. */
  const requests = new Map<string, readonly RequestEvent[]>();
  let seen = 0;

  beforeAll(async () => {
    if (parts === undefined) return;
    buildProgram();
    audit = createRequestLog();
    plane = await startControlPlane(parts, {
      users: { ana: [] },
      frontProxy: true,
      flags: audit.flags,
      controllers: ["clusterrole-aggregation-controller"],
    });
    balancer = await startBalancer();
    webhooks = await startBalancer();
    await apply(foreignCrds);
    await untilEstablished(plane.kubectl);
    await apply(clusterObjects);
    // As the mode gateway leaves it.
    await kubectl(
      `patch gatewayclass house --type=merge -p {"metadata":{"finalizers":["${GATEWAY_EXISTS_FINALIZER}"]}}`,
    );
    await kubectl(`create namespace ${VIEW_NAMESPACE}`);
    rendered = await renderChart(helm ?? "", values());
  }, 300_000);
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await balancer?.close();
    await webhooks?.close();
    await plane?.close();
    audit?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    seen = audit.read().length;
  });
  afterEach(({ task }) => {
    const own = audit.read().slice(seen);
    requests.set(
      task.name,
      own.filter(({ user }) => user.username === CONTROLLER),
    );
  });

  const values = () => valuesAt(balancer.port, webhooks.port);
  const kubectl = (line: string, input?: string): Promise<string> => plane.kubectl(line.split(" "), input);
  const apply = (items: readonly object[]): Promise<string> =>
    kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const helmIn = (...args: readonly string[]): Promise<string> =>
    runHelm(helm ?? "", [...args, "--namespace", VIEW_NAMESPACE], { kubeconfig: plane.kubeconfig });
  const mayDo = async (line: string): Promise<boolean> =>
    (await kubectl(`auth can-i ${line}`).catch((error: Error) => error.message)).trim() === "yes";
  const serve = async (next: readonly ControllerProcess[]): Promise<void> => {
    balancer.turnTo(next.map(({ port }) => port));
    webhooks.turnTo(next.map(({ webhookPort }) => webhookPort));
    const leaving = replicas.filter((replica) => !next.includes(replica));
    replicas = next;
    const codes = await Promise.all(leaving.map((replica) => replica.close()));
    expect(codes).toEqual(leaving.map(() => 0));
  };
  const patchStatus = (object: string, status: object): Promise<string> => {
    const patch = JSON.stringify({ status });
    return plane.kubectl(["patch", object, "-n", "bakery", "--subresource=status", "--type=merge", "-p", patch]);
  };
  /** The configurations of the chart, and those of the controller. */
  const webhookNames = async (): Promise<readonly string[]> =>
    (await kubectl("get validatingwebhookconfigurations -o name"))
      .split("\n")
      .map((line) => line.replace(/.*\//, ""))
      .filter((name) => name.startsWith("prevail"));
  /** The Service leads to a port of this machine, as no Pod runs here. */
  const leadServiceHere = (): Promise<string> =>
    plane.kubectl([
      "patch",
      "service",
      "prevail-view",
      "-n",
      VIEW_NAMESPACE,
      "-p",
      JSON.stringify({ spec: { type: "ExternalName", externalName: "localhost" } }),
    ]);

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ["observe", { mode: "observe" }],
    ["report", { mode: "report" }],
    ["gateway", { mode: "gateway" }],
    [
      "gateway, everything about Envoys turned around",
      {
        mode: "gateway",
        "gateway.privilegedPorts": "bind",
        "gateway.maxReplicas": null,
        "gateway.maxResources": { cpu: "2" },
        "gateway.infrastructureKeys": ["example.com/*"],
        "gateway.certificateNamespaces": ["bakery"],
      },
    ],
    [
      "report, other kinds",
      {
        mode: "report",
        own: [{ apiGroup: "policies.example.com", kind: "LimitPolicy", resource: "limitpolicies" }],
        reportAffected: [
          { apiGroup: "", kind: "Service", resource: "services" },
          { apiGroup: "kitchen.example.com", kind: "Oven", resource: "ovens", as: "annotations" },
        ],
        "certificates.from": "cert-manager",
      },
    ],
    ["observe, webhooks that warn", { mode: "observe", "webhook.mode": "warn" }],
    [
      "report, webhooks that refuse",
      {
        mode: "report",
        "webhook.mode": "deny",
        "webhook.failurePolicy": "Fail",
        "webhook.refuseConflicts": true,
        "webhook.confirmAbove": 10,
        "webhook.excludeNamespaces": ["infra"],
        "certificates.from": "cert-manager",
      },
    ],
    ["report, one replica without the view API", { mode: "report", replicas: 1, "viewApi.enabled": false }],
    [
      "observe, webhooks without the view API",
      { mode: "observe", replicas: 1, "viewApi.enabled": false, "webhook.mode": "warn" },
    ],
    ["observe, certificates of cert-manager", { mode: "observe", "certificates.from": "cert-manager" }],
    [
      "observe, monitoring",
      {
        mode: "observe",
        "monitoring.serviceMonitor": true,
        "monitoring.prometheusRule": true,
        "monitoring.dashboard": true,
        "monitoring.labels": { release: "prometheus" },
      },
    ],
    [
      "observe, everything else turned around",
      {
        mode: "observe",
        replicas: 3,
        userRoles: false,
        "networkPolicy.metricsFrom": [{ namespaceSelector: { matchLabels: { team: "monitoring" } } }],
        "priorityClass.name": "system-cluster-critical",
        "image.pullSecrets": [{ name: "registry" }],
        "certificates.issuerRef": { kind: "ClusterIssuer", name: "internal" },
        tolerations: [{ key: "dedicated", operator: "Exists" }],
        podAnnotations: { team: "platform" },
        extraArgs: ["--quiet"],
      },
    ],
  ])("the API server accepts what it renders: %s", async (_, values) => {
    const text = await renderChart(helm ?? "", values);
    // Pods of the namespace must meet the strictest level of Pod Security.
    await kubectl(`label namespace ${VIEW_NAMESPACE} pod-security.kubernetes.io/enforce=restricted --overwrite`);
    // There is no scheduler here, but admission is that of a cluster.
    expect(await kubectl("apply --dry-run=server -f -", JSON.stringify(podOf(text)))).toContain("pod/prevail created");
    const output = await kubectl("apply --dry-run=server -f -", text);
    expect(output).toContain("deployment.apps/prevail-controller created (server dry run)");
  });

  test("it is installed with helm", async () => {
    // Tests start the API server with the CRDs of deploy/crds, so the chart takes them over.
    await helmIn("install", "prevail", CHART, "--take-ownership", ...valueArgs(values()));
    await leadServiceHere();
    const roles = {
      kind: "ClusterRole",
      metadata: { name: "vendor", labels: { [AGGREGATE]: "true" } },
      ...vendorRules,
    };
    await apply([{ apiVersion: "rbac.authorization.k8s.io/v1", ...roles }]);
    await until(async () => mayDo(`list limitpolicies.policies.example.com -A --as ${CONTROLLER}`));
  });

  test("one replica without the view API needs none of the rights for it", async () => {
    const { policyKinds, own } = values();
    const without = { mode: "report", replicas: 1, "viewApi.enabled": false, policyKinds, own };
    const text = await renderChart(helm ?? "", without);
    const began = audit.read().length;
    const lone = await startController(plane, controllerArgs(text));
    try {
      await until(async () => /^prevail_leader 1$/m.test(await lone.metrics()));
      expect(lone.log()).toContain("the view API is not served");
    } finally {
      expect(await lone.close()).toBe(0);
    }
    const rights = controllerRights(text);
    expect(rights.filter(({ resource }) => /secrets|apiservices|subjectaccessreviews/.test(resource))).toEqual([]);
    const more = audit
      .read()
      .slice(began)
      .filter(({ user, objectRef }) => user.username === CONTROLLER && objectRef?.resource !== undefined)
      // This right comes from the role with a label, not from the chart.
      .filter(({ objectRef }) => objectRef?.resource !== "limitpolicies" || objectRef.subresource !== undefined)
      .filter((event) => !rights.some((right) => usesRight(event, right)));
    expect(more.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    await kubectl(`delete lease prevail-controller -n ${VIEW_NAMESPACE}`);
  });

  test("it reads the cluster", async () => {
    const first = await startController(plane, controllerArgs(rendered));
    replicas = [first];
    balancer.turnTo([first.port]);
    webhooks.turnTo([first.webhookPort]);
    // The API server looks at an APIService that was not available once every 30 seconds, and when it changes.
    await kubectl(`annotate apiservice ${API_SERVICE} touched=yes`);
    await untilServed(plane);
    await serve([first, await startController(plane, controllerArgs(rendered))]);
    const lines = first
      .log()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly time: string; readonly level: string; readonly message: string });
    expect(lines.map(({ level }) => level)).toEqual(lines.map(() => "info"));
    expect(lines.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^the cluster has been read: \d+ objects$/),
    );
    expect(lines.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^GatewayClass house has the finalizer gateway-exists-finalizer\..* cannot be deleted/),
    );
  });

  test("it reads policies of vendors, by a value of the chart and by a role with a label", async () => {
    const text = await replicas[0]?.metrics();
    expect(text).not.toContain('prevail_caveats{code="UnreadableResource"');
    expect(text).toMatch(/^prevail_policies\{group="prevail.dev",kind="RetryPolicy",verdict="Enforced"\} 1$/m);
    const watched = [...requests.values()].flat().map(({ objectRef, verb }) => `${verb} ${objectRef?.resource ?? ""}`);
    expect(watched).toEqual(expect.arrayContaining(["watch authpolicies", "watch limitpolicies"]));
  });

  test("users read the view API", async () => {
    await kubectl("create rolebinding ana -n bakery --clusterrole=view --user=ana");
    await until(() => mayDo("list effectivepolicies.view.prevail.dev -n bakery --as ana"));
    const table = await kubectl(`get effectivepolicies -n bakery --token ${plane.token("ana")}`);
    expect(table).toContain("httproute.baker");
    expect(table).toContain("RetryPolicy bakery/retries");
  });

  test.skipIf(!canChangeRoot())(
    "a container of the image serves, too: not root, and without a file that it can write",
    async () => {
      const image = makeImageRoot();
      try {
        const container = await startContainer(plane, controllerArgs(rendered), image);
        balancer.use([container.port]);
        expect(await kubectl(`get effectivepolicies -n bakery --token ${plane.token("ana")}`)).toContain(
          "httproute.baker",
        );
        balancer.use(replicas.map(({ port }) => port));
        expect(await container.close()).toBe(0);
      } finally {
        image.remove();
      }
    },
  );

  test("users with view, edit and admin have rights to policies", async () => {
    const bound = async (role: string): Promise<void> => {
      await kubectl(`create rolebinding ${role} -n bakery --clusterrole=${role} --user=${role}-user`);
    };
    for (const role of ["edit", "admin"]) await bound(role);
    const policies = "retrypolicies.prevail.dev -n bakery";
    await until(() => mayDo(`create ${policies} --as admin-user`));
    await until(() => mayDo(`create ${policies} --as edit-user`));
    expect(await mayDo(`get ${policies} --as ana`)).toBe(true);
    expect(await mayDo(`create ${policies} --as ana`)).toBe(false);
    expect(await mayDo("get retrypolicies.prevail.dev -n other --as edit-user")).toBe(false);
    for (const kind of ["clusterretrypolicies", "policydefinitions", "coveragerules"])
      expect(await mayDo(`create ${kind}.prevail.dev --as admin-user`)).toBe(false);
    // Parameters for the Gateways of their namespace: docs/gateways.md says which are refused.
    expect(await mayDo("create gatewayparameters.prevail.dev -n bakery --as edit-user")).toBe(true);
  });

  test("operators have rights to the kinds about the whole cluster, and to nothing that is not Prevail's", async () => {
    await kubectl("create clusterrolebinding olga --clusterrole=prevail-operator --user=olga");
    await until(() => mayDo("create clusterretrypolicies.prevail.dev --as olga"));
    for (const kind of ["policydefinitions", "coveragerules"])
      expect(await mayDo(`create ${kind}.prevail.dev --as olga`)).toBe(true);
    const others = [
      "get secrets",
      "create gatewayclasses",
      "update httproutes",
      "create clusterroles",
      "delete customresourcedefinitions",
    ];
    for (const other of others) expect(await mayDo(`${other} -A --as olga`)).toBe(false);
    // The controller, with all roles that are bound to it in the cluster.
    for (const right of ["impersonate users", "impersonate groups", "escalate clusterroles", "bind clusterroles"])
      expect(await mayDo(`${right} -A --as ${CONTROLLER}`)).toBe(false);
  });

  test("its certificate", async () => {
    const bundle = (): Promise<string> => kubectl(`get apiservice ${API_SERVICE} -o jsonpath={.spec.caBundle}`);
    const before = await bundle();
    expect(before).not.toBe("");
    // A Secret without a certificate, as an administrator may leave it: a new one is made and written there, and the API server trusts it.
    await plane.kubectl(["patch", "secret", "prevail-tls", "-n", VIEW_NAMESPACE, "-p", JSON.stringify(emptySecret)]);
    await until(async () => (await bundle()) !== before);
    // The other replica takes the new certificate up within 15 seconds.
    const isServed = async ({ port }: ControllerProcess): Promise<boolean> => {
      balancer.use([port]);
      const table = await kubectl("get effectivepolicies -n bakery").catch(() => "");
      return table.includes("httproute.baker");
    };
    for (const replica of replicas) await until(() => isServed(replica));
    balancer.use(replicas.map(({ port }) => port));
  });

  test("it writes the status of policies and of what they affect, again after another writer has removed it", async () => {
    const has = async (object: string, part: string): Promise<boolean> =>
      (await kubectl(`get ${object} -n bakery -o jsonpath={.status.${part}}`)).includes("prevail.dev/");
    // The controller of the Gateway lists its listeners; conditions go into its entries.
    for (const [object, names] of listed) await patchStatus(object, { listeners: names.map(listenerStatus) });
    for (const [object, part] of [...reportedObjects, ...listed.map(([object]) => [object, "listeners"] as const)])
      await until(
        () => has(object, part),
        () => `${object} `,
      );
    expect(await kubectl("get retrypolicies -n bakery --no-headers")).toMatch(/^retries .* True +Enforced /);
    for (const [object, part] of reportedObjects) await patchStatus(object, { [part]: [] });
    for (const [object, part] of reportedObjects)
      await until(
        () => has(object, part),
        () => `${object} again `,
      );
    await apply([coverageRule]);
    const isCovered = async (): Promise<boolean> =>
      (await kubectl("get coveragerule retried -o jsonpath={.status.conditions}")).includes('"Covered"');
    await until(isCovered);
    const none = JSON.stringify({ status: { conditions: [] } });
    await kubectl(`patch coveragerule retried --subresource=status --type=merge -p ${none}`);
    await until(isCovered);
    await kubectl("delete coveragerule retried");
    // A value that takes effect on the route changes, which is an Event.
    const patch = JSON.stringify({ spec: { defaults: { retry: { attempts: 4 } } } });
    await plane.kubectl(["patch", "retrypolicy", "retries", "-n", "bakery", "--type=merge", "-p", patch]);
    await until(async () => (await kubectl("get events.events.k8s.io -n bakery -o name")) !== "");
    const leaders = await Promise.all(
      replicas.map(async (replica) => /^prevail_leader 1$/m.test(await replica.metrics())),
    );
    expect(leaders.filter((isLeader) => isLeader)).toHaveLength(1);
  });

  test("it writes conditions, or annotations, of the kinds of reportAffected", async () => {
    const conditionsOf = (object: string): Promise<string> =>
      kubectl(`get ${object} -n bakery -o jsonpath={.status.conditions[*].type}`);
    await until(async () => (await conditionsOf("service/oven")).includes(RETRY_AFFECTED));
    await patchStatus("service/oven", { conditions: [] });
    await until(async () => (await conditionsOf("service/oven")).includes(RETRY_AFFECTED));
    interface Annotated {
      readonly metadata: {
        readonly generation: number;
        readonly annotations: Readonly<Record<string, string>>;
      };
      readonly spec: object;
      readonly status?: object;
    }
    const oven = async (): Promise<Annotated> =>
      JSON.parse(await kubectl("get oven hearth -n bakery -o json")) as Annotated;
    const isAnnotated = async (): Promise<boolean> => Object.hasOwn((await oven()).metadata.annotations, LIMITED);
    await until(isAnnotated);
    await kubectl(`annotate oven hearth -n bakery ${LIMITED}-`);
    await until(isAnnotated);
    // What ends is withdrawn, and written again when it is true again.
    await kubectl("delete limitpolicy hearth -n bakery");
    await until(async () => !(await isAnnotated()));
    await apply([ovenPolicy]);
    await until(isAnnotated);
    const { metadata, spec, status } = await oven();
    // Everything else stays, also what kubectl apply keeps in the object.
    expect(metadata.annotations).toEqual({
      [LIMITED]: "true",
      "example.com/bricks": "80",
      "kubectl.kubernetes.io/last-applied-configuration": expect.stringContaining("hearth"),
    });
    expect({ generation: metadata.generation, spec, status }).toEqual({ generation: 1, spec: { degrees: 220 } });
  });

  test("webhooks warn and refuse", async () => {
    const remove = "delete retrypolicy retries -n bakery --dry-run=server --warnings-as-errors";
    const answer = (): Promise<string> => kubectl(remove).catch((error: Error) => error.message);
    await until(async () => (await answer()).includes("Warning: deleting RetryPolicy bakery/retries"));
    await apply([coverageRule]);
    await until(async () => (await answer()).includes("deny.prevail.dev"));
    expect(await answer()).toContain("NotCovered");
    await kubectl("delete coveragerule retried");
  });

  test("its own webhook configurations go with those of the chart", async () => {
    await until(
      async () => (await webhookNames()).length === 4,
      () => "four configurations ",
    );
    await kubectl("delete validatingwebhookconfiguration prevail-warn prevail-deny");
    await until(async () => (await webhookNames()).length === 0);
  });

  test("helm upgrade brings webhook configurations back that were deleted, and the controller its own and their caBundle", async () => {
    await helmIn("upgrade", "prevail", CHART, ...valueArgs(values()));
    const bundles = async (): Promise<readonly string[]> => {
      const path = "{range .items[*]}{.metadata.name}={.webhooks[0].clientConfig.caBundle}{'\\n'}{end}";
      return (await plane.kubectl(["get", "validatingwebhookconfigurations", "-o", `jsonpath=${path}`]))
        .trim()
        .split("\n");
    };
    const bundle = await kubectl(`get apiservice ${API_SERVICE} -o jsonpath={.spec.caBundle}`);
    await until(
      async () =>
        (await bundles()).join() ===
        ["prevail-deny", "prevail-deny-found", "prevail-warn", "prevail-warn-found"]
          .map((name) => `${name}=${bundle}`)
          .join(),
      () => "four configurations with the authority ",
    );
    const remove = "delete retrypolicy retries -n bakery --dry-run=server --warnings-as-errors";
    await until(async () =>
      (await kubectl(remove).catch((error: Error) => error.message)).includes("Warning: deleting RetryPolicy"),
    );
  });

  test("no request of the controller was forbidden, and each of its rights was used by the test that the chart names", () => {
    const made = [...requests.values()].flat();
    expect(made.length).toBeGreaterThan(50);
    const forbidden = made.filter(({ responseStatus }) => responseStatus?.code === 403);
    expect(forbidden.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    const rights = controllerRights(rendered);
    expect(rights.length).toBeGreaterThan(60);
    const isUsed = (right: Right): boolean =>
      (requests.get(right.test ?? "") ?? []).some((event) => usesRight(event, right));
    const unused = rights.filter((right) => !isUsed(right));
    // Gateway API before 1.5 has XListenerSets; the API server of this test does not.
    expect(unused.filter(({ resource }) => !resource.startsWith("xlistenersets")).map(formatRight)).toEqual([]);
  });

  describe("upgrade and rollback, while users ask", () => {
    const ask = (): Promise<string> =>
      kubectl("get --raw /apis/view.prevail.dev/v1alpha1/namespaces/bakery/effectivepolicies");
    interface Accepted {
      readonly message: string;
      readonly lastTransitionTime: string;
      readonly observedGeneration: number;
    }
    /** The condition Accepted of the policy, as the leader wrote it. */
    const acceptedOf = async (): Promise<Accepted> => {
      const path = "{.status.ancestors[0].conditions[?(@.type=='Accepted')]}";
      return JSON.parse(await kubectl(`get retrypolicy retries -n bakery -o jsonpath=${path}`)) as Accepted;
    };
    let edits = 0;
    /** The versions that write about five edits of the policy, one after the other. Each edit is reported once: with another write, one version would contradict the other. */
    const versionsThatWrite = async (): Promise<readonly string[]> => {
      const write = async (): Promise<void> => {
        const spec = { defaults: { retry: { attempts: 5 + (++edits % 3) } } };
        const patch = ["patch", "retrypolicy", "retries", "-n", "bakery", "--type=merge", "-o", "json"];
        const edited = JSON.parse(await plane.kubectl([...patch, "-p", JSON.stringify({ spec })])) as {
          readonly metadata: { readonly generation: number };
        };
        await until(async () => (await acceptedOf()).observedGeneration === edited.metadata.generation);
      };
      // The first one waits for a leader.
      await write();
      const began = audit.read().length;
      for (let count = 0; count < 5; count++) await write();
      const writes = audit
        .read()
        .slice(began)
        .filter(({ objectRef, verb }) => verb === "update" && objectRef?.subresource === "status")
        .filter(({ responseStatus }) => responseStatus?.code === 200)
        .filter(({ objectRef }) => objectRef?.resource === "retrypolicies" && objectRef.name === "retries");
      const agents = writes.map(({ userAgent }) => (userAgent?.includes(NEXT_VERSION) ? "the next" : "this version"));
      const turns = agents.filter((agent, index) => agent !== agents[index - 1]);
      // On a busy machine the leader may lose its Lease, and the next leader writes in its own words.
      expect(writes.length).toBeLessThanOrEqual(4 + turns.length);
      return turns;
    };
    const crdDescription = (): Promise<string> =>
      kubectl("get crd retrypolicies.prevail.dev -o jsonpath={.spec.versions[0].schema.openAPIV3Schema.description}");

    test("the next version of the chart: CRDs are upgraded, caBundle stays, no request fails twice", async () => {
      const before = await acceptedOf();
      const next = nextChart(folder);
      const bundle = await kubectl(`get apiservice ${API_SERVICE} -o jsonpath={.spec.caBundle}`);
      const failures = await whileAsking(ask, async () => {
        await helmIn("upgrade", "prevail", next, ...valueArgs(values()));
        const args = controllerArgs(await renderChart(helm ?? "", values(), next));
        expect(args).toContain("--context=test");
        const program = copyNextVersion(folder);
        for (const old of replicas)
          await serve([...replicas.filter((one) => one !== old), await startController(plane, args, program)]);
      });
      expect(failures).toEqual([]);
      await until(async () => (await acceptedOf()).message === NEXT_MESSAGE);
      // The condition has another message, and is as old as before.
      expect((await acceptedOf()).lastTransitionTime).toBe(before.lastTransitionTime);
      expect(await crdDescription()).toContain("in the next version");
      expect(await kubectl(`get apiservice ${API_SERVICE} -o jsonpath={.spec.caBundle}`)).toBe(bundle);
    });

    test("back to the version before, replicas of both versions side by side", async () => {
      const fresh = await startController(plane, controllerArgs(rendered));
      const [, other] = replicas;
      if (other === undefined) throw new Error("there are two replicas");
      const failures = await whileAsking(ask, async () => {
        await helmIn("rollback", "prevail");
        await serve([fresh, other]);
      });
      expect((await versionsThatWrite()).length).toBeLessThanOrEqual(2);
      const path = "/apis/view.prevail.dev/v1alpha1/effectivepolicies";
      const answers = new Set<string>();
      for (const { port } of [fresh, other]) {
        // This cuts every connection, so the next request may fail.
        balancer.use([port]);
        answers.add(await kubectl(`get --raw ${path}`).catch(() => kubectl(`get --raw ${path}`)));
      }
      expect(answers.size).toBe(1);
      const later = await whileAsking(ask, async () => {
        await serve([fresh, await startController(plane, controllerArgs(rendered))]);
      });
      expect([failures, later]).toEqual([[], []]);
      expect(await crdDescription()).not.toContain("in the next version");
      await until(async () => (await acceptedOf()).message !== NEXT_MESSAGE);
      expect(await versionsThatWrite()).toEqual(["this version"]);
    });
  });

  test("--cleanup takes everything back while replicas still run, and they write nothing again", async () => {
    expect(await webhookNames()).toHaveLength(4);
    expect(await findWritten(plane)).toEqual(
      expect.arrayContaining([...reportedObjects.map(([object]) => object), ...affectedObjects]),
    );
    const began = audit.read().length;
    const output = await runProgram("controller", "--cleanup", "--kubeconfig", plane.kubeconfig, ...AS_INSTALLED);
    expect(output).toMatch(
      /took the Lease prevail-system\/prevail-controller[\s\S]*deleted APIService[\s\S]*withdrew .* of 1[2-9] objects/,
    );
    const writes = audit
      .read()
      .slice(began)
      .filter(({ user, userAgent }) => user.username === "admin" && userAgent?.startsWith("prevail/") === true)
      .filter(
        ({ verb, responseStatus }) => /^(?:create|update|patch|delete)/.test(verb) && responseStatus?.code === 200,
      )
      .map(({ verb, objectRef }) => `${verb} ${objectRef?.subresource ?? objectRef?.resource ?? ""}`);
    expect(writes.filter((write, index) => write !== writes[index - 1])).toEqual([
      "update leases",
      "delete apiservices",
      "delete validatingwebhookconfigurations",
      // The finalizer.
      "update gatewayclasses",
      "update status",
      // The annotation of the Oven.
      "update ovens",
    ]);
    // What would be a reason to write: a policy changes, and a replica starts.
    await kubectl("annotate retrypolicy retries -n bakery touched=yes");
    const patch = JSON.stringify({ spec: { defaults: { retry: { attempts: 3 } } } });
    await plane.kubectl(["patch", "retrypolicy", "retries", "-n", "bakery", "--type=merge", "-p", patch]);
    const fresh = await startController(plane, controllerArgs(rendered));
    await fresh.close();
    // Before helm uninstall, which would remove the APIService and the configurations of the chart.
    expect(await findWritten(plane)).toEqual([]);
    expect(await webhookNames()).toEqual([]);
    expect(await kubectl("api-versions")).not.toContain("view.prevail.dev");
    expect(await kubectl("get gatewayclass house -o jsonpath={.metadata.finalizers}")).toBe("");
    // A second time there is nothing left to do.
    expect(await runProgram("controller", "--cleanup", "--kubeconfig", plane.kubeconfig, ...AS_INSTALLED)).toContain(
      "withdrew conditions, entries and annotations of 0 objects",
    );
  });

  test("after --cleanup, helm upgrade and the deletion of the Lease bring everything back", async () => {
    await helmIn("upgrade", "prevail", CHART, ...valueArgs(values()));
    await leadServiceHere();
    await kubectl(`delete lease prevail-controller -n ${VIEW_NAMESPACE}`);
    const missing = async (): Promise<readonly string[]> => {
      const written = await findWritten(plane);
      return [...reportedObjects.map(([object]) => object), ...affectedObjects].filter((one) => !written.includes(one));
    };
    await until(
      async () => (await missing()).length === 0 && (await webhookNames()).length === 4,
      () => "everything is written again ",
    );
    await untilServed(plane);
    expect(await kubectl("get effectivepolicies -n bakery")).toContain("httproute.baker");
    await runProgram("controller", "--cleanup", "--kubeconfig", plane.kubeconfig, ...AS_INSTALLED);
    expect([await findWritten(plane), await webhookNames()]).toEqual([[], []]);
  });

  test("helm uninstall leaves CRDs with their policies, its Secret and Lease, and nothing else", async () => {
    await helmIn("uninstall", "prevail");
    await Promise.all(replicas.map((replica) => replica.close()));
    replicas = [];
    const left = await kubectl(
      `get ${LISTED} -A -o custom-columns=KIND:.kind,NAME:.metadata.name --no-headers --ignore-not-found`,
    );
    const ours = left.split("\n").filter((line) => /prevail/.test(line));
    expect(ours.map((line) => line.trim().replaceAll(/ +/g, " "))).toEqual([
      "Namespace prevail-system",
      "Secret prevail-tls",
      "Lease prevail-controller",
      // The API server makes it for the CRDs.
      "APIService v1alpha1.prevail.dev",
    ]);
    expect(await kubectl("get retrypolicies -n bakery -o name")).toContain("retries");
    expect(await kubectl("api-versions")).not.toContain("view.prevail.dev");
    // docs/install.md, "Removal"
    await kubectl(`delete namespace ${VIEW_NAMESPACE} --wait=false`);
    await kubectl("delete -f deploy/crds --wait=false");
  });
});

/** The options that --cleanup needs: those of the release. */
const AS_INSTALLED = ["--service", `${VIEW_NAMESPACE}/prevail-view`, "--lease", "prevail-controller"];
/** Objects of the kinds of reportAffected. */
const affectedObjects = ["service/oven", "oven/hearth"];
/** The listeners of the objects that have some. */
const listed: readonly (readonly [string, readonly string[]])[] = [
  ["gateway/prod", ["http", "tls", "tcp", "udp"]],
  ["listenerset/more", ["more"]],
];
const listenerStatus = (name: string) => ({ name, attachedRoutes: 1, supportedKinds: [], conditions: [] });
const RETRY_AFFECTED = "prevail.dev/RetryPolicyAffected";
const LIMITED = "prevail.dev/LimitPolicyAffected";
const AGGREGATE = "prevail.dev/aggregate-to-controller";
const vendorRules = {
  rules: [{ apiGroups: ["policies.example.com"], resources: ["limitpolicies"], verbs: ["list", "watch"] }],
};
const emptySecret = { data: { "tls.crt": "", "tls.key": "", "ca.crt": "", "ca.key": "" } };
const LISTED =
  "namespaces,secrets,services,serviceaccounts,configmaps,deployments,poddisruptionbudgets,networkpolicies,roles,rolebindings,clusterroles,clusterrolebindings," +
  "priorityclasses,leases,apiservices,validatingwebhookconfigurations,mutatingwebhookconfigurations,jobs";

interface Written {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: object;
}

/** The objects of all kinds that have an entry, a condition or an annotation of the controller, such as `httproute/baker`. */
async function findWritten({ kubectl }: ControlPlane): Promise<readonly string[]> {
  const resources = (await kubectl(["api-resources", "--verbs=list,get", "-o", "name"])).trim().split("\n");
  const stored = resources.filter((resource) => !/^events|\.(?:metrics\.k8s\.io|view\.prevail\.dev)$/.test(resource));
  const { items } = JSON.parse(await kubectl(["get", stored.join(), "-A", "-o", "json"])) as {
    readonly items: readonly Written[];
  };
  return items
    .filter(
      ({ metadata: { annotations = {} }, status }) =>
        Object.keys(annotations).some((key) => key.startsWith("prevail.dev/")) ||
        /"(?:controllerName|type)":"prevail\.dev\//.test(JSON.stringify(status ?? {})),
    )
    .map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
}

/** The chart as the next version could be: another version, one more argument, and a CRD with another description. */
function nextChart(folder: string): string {
  const chart = join(folder, "next");
  cpSync(CHART, chart, { recursive: true });
  const edit = (file: string, from: RegExp, to: string): void => {
    const path = join(chart, file);
    const text = readFileSync(path, "utf8");
    if (!from.test(text)) throw new Error(`${file} does not contain ${from}`);
    writeFileSync(path, text.replace(from, to));
  };
  edit("Chart.yaml", /^version: .*$/m, "version: 0.2.0");
  edit(
    "files/crds/retrypolicies.yaml",
    /everything below its targets\./,
    "everything below its targets, in the next version.",
  );
  edit("templates/_args.tpl", /^- --log-format=json$/m, "- --log-format=json\n- --context=test");
  return chart;
}
