import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureCertificates } from "../../src/controller/certificates/own-certificates.ts";
import type { EffectivePolicyView, PolicyReachView } from "../../src/core/view/view-types.ts";
import { type CliResult, runCli } from "../support/cli/run-cli.ts";
import { expectGolden } from "../support/golden.ts";
import { applyBakery } from "../support/kubernetes/apply-bakery.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, kubeconfigText, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_START, CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import {
  type Balancer,
  installViewApi,
  startBalancer,
  startViewReplica,
  untilServed,
  VIEW_NAMESPACE,
  type ViewReplica,
} from "../support/kubernetes/view-replica.ts";

const parts = await findKubernetes();

describe.skipIf(parts === undefined)("the view API behind a real API server", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let balancer: Balancer;
  const replicas: ViewReplica[] = [];
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts, { users: { ana: [], chihiro: [] }, frontProxy: true });
    await applyBakery(plane);
    balancer = await startBalancer();
    await installViewApi(plane, balancer.port);
    for (let i = 0; i < 2; i++) replicas.push(await startViewReplica(plane));
    balancer.use(replicas.map(({ port }) => port));
    await untilServed(plane);
    const isRead = ({ notes }: ViewReplica): boolean => notes.some((note) => note.includes("has been read"));
    await until(() => replicas.every(isRead));
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify(rights));
  }, CLUSTER_START);
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await balancer?.close();
    await plane?.close();
  });

  const kubectl = (line: string): Promise<string> => plane.kubectl(line.split(" "));
  const kubectlAs = (user: string, line: string): Promise<string> =>
    plane.kubectl([...line.split(" "), "--token", plane.token(user)]);
  const view = async <T>(line: string, user = "admin"): Promise<T> =>
    JSON.parse(await kubectlAs(user, `${line} -o json`)) as T;

  test.each([
    ["effective", "get effectivepolicies -A"],
    ["effective-wide", "get eff -n bakery -o wide"],
    ["cluster-effective", "get clustereffectivepolicies"],
    ["reaches", "get policyreaches -A"],
    ["cluster-reaches", "get clusterpolicyreaches -o wide"],
    ["baker", "get effectivepolicy httproute.baker -n bakery -o yaml"],
    ["friday-fix", "get policyreach retrypolicies.prevail.dev.friday-fix -n infra -o yaml"],
    ["api-resources", "api-resources --api-group=view.prevail.dev"],
    ["explain", "explain effectivepolicies.values"],
    ["explain-reach", "explain policyreach.reached"],
  ])("%s: kubectl %s", async (name, line) => {
    // Trailing blanks are padding of kubectl.
    const text = (await kubectl(line)).replaceAll(/ +$/gm, "");
    expectGolden(`test/cluster/testdata/view-api/${name}.txt`, text);
  });

  test("blame: how a value was last written, to those who may read its policy", async () => {
    const path = "/apis/view.prevail.dev/v1alpha1/namespaces/bakery/effectivepolicies/httproute.baker";
    const sources = async (user: string, query: string) => {
      const { values } = JSON.parse(await kubectlAs(user, `get --raw ${path}${query}`)) as EffectivePolicyView;
      return values.flatMap(({ source }) => (source?.policy?.name === "friday-fix" ? [source] : []));
    };
    const [source] = await sources("admin", "?blame=true");
    const created = await kubectl("get retrypolicy friday-fix -n infra -o jsonpath={.metadata.creationTimestamp}");
    expect(source?.written).toMatchObject({ manager: expect.stringContaining("kubectl"), created });
    expect((await sources("admin", ""))[0]?.written).toBeUndefined();
    expect((await sources("ana", "?blame=true"))[0]?.written).toBeUndefined();
    await expect(sources("admin", "?blame=yes")).rejects.toThrow("blame is 'yes'");
  });

  test("labels, fields and pages", async () => {
    const names = async (line: string): Promise<readonly string[]> =>
      (await kubectl(`${line} -o name`))
        .trim()
        .split("\n")
        .filter((one) => one !== "");
    await kubectl("label httproute baker team=bread -n bakery");
    await until(async () => (await names("get eff -A -l team=bread")).length > 0);
    expect(await names("get eff -A -l team=bread")).toEqual(["effectivepolicy.view.prevail.dev/httproute.baker"]);
    expect(await names("get eff -A --field-selector metadata.namespace=infra")).toEqual([
      "effectivepolicy.view.prevail.dev/gateway.prod",
    ]);
    const whole = await names("get eff -A");
    expect(whole.length).toBeGreaterThan(8);
    for (const size of [1, 2, 7]) expect(await names(`get eff -A --chunk-size=${size}`)).toEqual(whole);
    await expect(kubectl("get eff -A --field-selector spec.x=1")).rejects.toThrow("there are metadata.name and");
    await kubectl("label httproute baker team- -n bakery");
  });

  test("it can be read only, and what no policy reaches is not there", async () => {
    await expect(kubectl("delete eff httproute.baker -n bakery")).rejects.toThrow(
      /does not allow this method|can be read/,
    );
    await expect(kubectl("get eff httproute.unknown -n bakery")).rejects.toThrow(
      "no policy reaches an object of this name",
    );
  });

  test("several replicas answer alike", async () => {
    const path = "/apis/view.prevail.dev/v1alpha1/effectivepolicies";
    const answers = new Set<string>();
    for (const { port } of [...replicas, ...replicas]) {
      balancer.use([port]);
      answers.add(await kubectl(`get --raw ${path}`));
    }
    balancer.use(replicas.map(({ port }) => port));
    expect(answers.size).toBe(1);
  });

  describe("GEP-713 › the parable: an application developer and a cluster operator", () => {
    test("the developer may not read RetryPolicies, and sees that there is one, which, and what it does", async () => {
      await expect(kubectlAs("ana", "get retrypolicies -n infra")).rejects.toThrow("forbidden");
      await expect(kubectlAs("ana", "get retrypolicies -n bakery")).rejects.toThrow("forbidden");
      const table = await kubectlAs("ana", "get eff -n bakery -o wide");
      expect(table).toContain("RetryPolicy infra/friday-fix");
      const { values } = await view<EffectivePolicyView>("get eff httproute.baker -n bakery", "ana");
      const attempts = values.filter(({ field }) => field === "retry.attempts");
      expect(attempts.map(({ value, source }) => [value, source?.policy?.namespace, source?.policy?.name])).toEqual([
        [5, "infra", "friday-fix"],
        [5, "infra", "friday-fix"],
      ]);
      expect(attempts.flatMap(({ lost }) => lost.map((one) => [one.value, one.reason]))).toContainEqual([
        0,
        "overridden",
      ]);
    });

    test("she sees whom to ask, no values of policies that keep them to their readers, and no other namespace", async () => {
      const { values, policyKinds } = await view<EffectivePolicyView>("get eff httproute.baker -n bakery", "ana");
      const parties = policyKinds.flatMap(({ policies }) => policies);
      expect(parties.find(({ policy }) => policy.name === "friday-fix")?.contact).toBe("chihiro@bakery.example");
      const audit = values.find(({ field }) => field === "rules.response.audit-id");
      expect([audit?.value, audit?.redacted]).toEqual([undefined, "set by a policy that you may not read"]);
      expect(audit?.source?.policy?.name).toBe("front-door");
      await expect(kubectlAs("ana", "get eff -n shop")).rejects.toThrow("forbidden");
      await expect(kubectlAs("ana", "get eff -A")).rejects.toThrow("forbidden");
      await expect(kubectlAs("ana", "get policyreaches -n infra")).rejects.toThrow("forbidden");
    });

    test("the operator sees how many", async () => {
      const reach = "get policyreach retrypolicies.prevail.dev.friday-fix -n infra";
      const { reached, paths } = await view<PolicyReachView>(reach, "chihiro");
      expect([paths.count, paths.full, reached.count]).toEqual([12, 12, 26]);
      // He may see objects of infra by name; those of other namespaces are counted.
      expect(new Set(reached.objects.map(({ namespace }) => namespace))).toEqual(new Set(["infra"]));
      expect(reached.hidden).toBe(23);
    });

    test("then it is deleted, and the view changes with it", async () => {
      const yaml = await kubectl("get retrypolicy friday-fix -n infra -o yaml");
      await kubectl("delete retrypolicy friday-fix -n infra");
      const attempts = async (): Promise<readonly unknown[]> => {
        const { values } = await view<EffectivePolicyView>("get eff httproute.baker -n bakery", "ana");
        return values.filter(({ field }) => field === "retry.attempts").map(({ value }) => value);
      };
      await until(async () => !(await attempts()).includes(5));
      expect(await attempts()).toEqual([1, 0]);
      await plane.kubectl(["apply", "-f", "-"], yaml);
      await until(async () => (await attempts()).includes(5));
    });
  });

  test("--redact-names: a handle and a contact instead of the names of policies that a user may not read", async () => {
    const strict = await startViewReplica(plane, { redactsNames: true });
    try {
      await until(() => strict.notes.some((note) => note.includes("has been read")));
      balancer.use([strict.port]);
      const line = "get eff httproute.baker -n bakery";
      await until(async () => (await kubectlAs("ana", `${line} -o json`)).includes('"name": "~'));
      const text = await kubectlAs("ana", `${line} -o json`);
      for (const name of ["friday-fix", "house-rules", "front-door", "baker-retries", "baker-keys", "menu-is-public"])
        expect(text).not.toContain(name);
      const { values, policyKinds } = JSON.parse(text) as EffectivePolicyView;
      const handle = values.find(({ field, value }) => field === "retry.attempts" && value === 5)?.source?.policy;
      const uid = await kubectl("get retrypolicy friday-fix -n infra -o jsonpath={.metadata.uid}");
      expect(handle).toEqual({
        group: "prevail.dev",
        kind: "RetryPolicy",
        namespace: "",
        name: `~${uid.replaceAll("-", "").slice(0, 12)}`,
      });
      const part = policyKinds.flatMap(({ policies }) => policies).find(({ policy }) => policy.name === handle?.name);
      expect(part?.contact).toBe("chihiro@bakery.example");
      expect(await kubectlAs("ana", "get eff -n bakery")).toContain(`RetryPolicy ${handle?.name}`);
      expect(await kubectl(`${line} -o json`)).toContain("friday-fix");
      const found = await runCli(`reach ${handle?.name} --kubeconfig ${plane.kubeconfig}`);
      expect([found.code, found.stdout]).toEqual([0, expect.stringContaining("RetryPolicy infra/friday-fix")]);
      const unknown = await runCli(`reach ~0123456789ab --kubeconfig ${plane.kubeconfig}`);
      expect([unknown.code, unknown.stderr]).toEqual([64, expect.stringContaining("no policy that was read has")]);
    } finally {
      balancer.use(replicas.map(({ port }) => port));
      await strict.close();
    }
  });

  describe("kubectl prevail asks it", () => {
    const ask = async (user: string, line: string): Promise<CliResult> =>
      runCli(`${line} --kubeconfig ${await kubeconfigOf(user)}`);
    const kubeconfigOf = async (user: string): Promise<string> => {
      const file = join(plane.folder, `kubeconfig-view-${user}`);
      const { server, authority } = plane;
      writeFileSync(file, kubeconfigText({ server, authority, token: plane.token(user) }));
      return file;
    };

    test.each([
      ["ana", "explain-ana", "explain httproute/baker -n bakery"],
      ["ana", "explain-order", "explain httproute/baker#order -n bakery -o wide"],
      ["admin", "explain-admin", "explain httproute/baker -n bakery"],
      ["admin", "explain-namespace", "explain namespace/bakery"],
      ["chihiro", "reach-chihiro", "reach retrypolicy/friday-fix -n infra"],
      ["admin", "reach-admin", "reach retrypolicy/baker-retries -n bakery -o wide"],
    ])("%s, %s: %s", async (user, name, line) => {
      const { stdout, stderr, code } = await ask(user, line);
      expect(stderr).toContain("from the view API of the cluster");
      expectGolden(`test/cluster/testdata/view-api/${name}.txt`, stdout);
      expect(code).toBe(0);
    });

    test("only where it can answer, and only if it is wanted", async () => {
      const direct = await ask("ana", "explain httproute/baker -n bakery --via direct");
      expect(direct.stderr).not.toContain("view API");
      expect(direct.stderr + direct.stdout).toContain("list");
      const json = await ask("admin", "explain httproute/baker -n bakery -o json");
      expect([JSON.parse(json.stdout), json.stderr]).toEqual([expect.objectContaining({ kind: "Explanation" }), ""]);
      const own = await ask("admin", "explain httproute/baker -n bakery -o json --via api");
      expect(JSON.parse(own.stdout)).toMatchObject({ kind: "EffectivePolicy" });
      const blame = await ask("admin", "explain httproute/baker -n bakery --blame --via api");
      expect([blame.code, blame.stderr]).toEqual([64, expect.stringContaining("the view API does not have --blame")]);
      const files = await runCli("explain httproute/baker -f examples/bakery --via api");
      expect([files.code, files.stderr]).toEqual([64, expect.stringContaining("--via is about a cluster")]);
    });

    test("what it refuses is read with the user's own rights, and the reason is a note", async () => {
      const { stdout, stderr } = await ask("admin", "explain httproute/unknown -n bakery");
      expect(stdout).toBe("");
      expect(stderr).toContain("the view API has no answer");
      expect(stderr).toContain("unknown");
      const required = await ask("ana", "explain httproute/counter -n shop --via api");
      expect([required.code, required.stderr]).toEqual([65, expect.stringContaining("forbidden")]);
      balancer.use([]);
      const gone = await ask("admin", "explain httproute/baker -n bakery");
      expect(gone.stderr).toContain("read with your own rights, because the view API has no answer");
      expect(gone.stdout).toContain("RetryPolicy infra/friday-fix");
      balancer.use(replicas.map(({ port }) => port));
      await untilServed(plane);
    });
  });

  test("its own certificate is renewed after 60 days, its authority after nine years", async () => {
    const client = await clientAs(plane);
    const days = (count: number): Promise<Awaited<ReturnType<typeof ensureCertificates>>> =>
      ensureCertificates({
        client,
        secret: { namespace: VIEW_NAMESPACE, name: "another-tls" },
        dnsNames: ["prevail-view.prevail-system.svc"],
        nowMs: Date.now() + count * 86_400_000,
      });
    const [first, ...others] = await Promise.all([days(0), days(0), days(0), days(0)]);
    expect(others.map(({ serving }) => serving.certificate)).toEqual(others.map(() => first?.serving.certificate));
    expect((await days(59)).made).toBeUndefined();
    const renewed = await days(61);
    expect([renewed.made, renewed.authorities]).toEqual(["Serving", first?.authorities]);
    const later = await days(365 * 9 + 10);
    expect(later.made).toBe("Authority");
    expect(later.authorities).toContain(first?.authorities.trim());
    client.close();
  });

  test("where it is not installed, kubectl prevail reads the objects", async () => {
    await kubectl("delete apiservice v1alpha1.view.prevail.dev");
    await until(async () => !(await kubectl("api-versions")).includes("view.prevail.dev"));
    const line = `explain httproute/baker -n bakery --kubeconfig ${plane.kubeconfig}`;
    const { stdout, stderr } = await runCli(line);
    expect([stderr, stdout]).toEqual(["", expect.stringContaining("RetryPolicy infra/friday-fix")]);
    const required = await runCli(`${line} --via api`);
    expect([required.code, required.stderr]).toEqual([65, expect.stringContaining("is not installed in the cluster")]);
  });
});

const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
const toUser = (user: string) => [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });

/** Ana may see effective policies in bakery. Chihiro may do everything in infra. */
const rights = {
  apiVersion: "v1",
  kind: "List",
  items: [
    {
      ...rbac,
      kind: "RoleBinding",
      metadata: { name: "ana", namespace: "bakery" },
      roleRef: roleRef("ClusterRole", "prevail-view"),
      subjects: toUser("ana"),
    },
    {
      ...rbac,
      kind: "RoleBinding",
      metadata: { name: "chihiro", namespace: "infra" },
      roleRef: roleRef("ClusterRole", "cluster-admin"),
      subjects: toUser("chihiro"),
    },
  ],
};
