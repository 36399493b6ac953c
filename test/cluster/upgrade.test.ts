/**
 * From the version before to this one and back, while users ask and objects change: the program and the chart of an earlier commit. What differs between
 * the two: CRDs (CoverageRules have a status, PolicyDefinitions more fields), rights, words of status, and what computes them.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { brokenDefinition } from "../support/kubernetes/broken-definition.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { type ControllerProcess, startController } from "../support/kubernetes/controller-process.ts";
import { buildEarlierVersion, type EarlierVersion, isInHistory } from "../support/kubernetes/earlier-version.ts";
import { findHelm, findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CHART, renderChart, runHelm, valueArgs } from "../support/kubernetes/helm.ts";
import { buildProgram } from "../support/kubernetes/program-process.ts";
import { controllerArgs } from "../support/kubernetes/rendered-chart.ts";
import { untilReported } from "../support/kubernetes/report-replica.ts";
import { until } from "../support/kubernetes/until.ts";
import { type Balancer, startBalancer, untilServed, VIEW_NAMESPACE } from "../support/kubernetes/view-replica.ts";
import { whileAsking } from "../support/kubernetes/while-asking.ts";
import { clusterObjects, coverageRule, foreignCrds } from "./install-objects.ts";
import { applyAll } from "./status-objects.ts";

const parts = await findKubernetes();
const helm = await findHelm();
const isThere = parts !== undefined && helm !== undefined && isInHistory();
if (parts !== undefined && !isInHistory())
  console.error(
    "upgrade.test.ts: left out, because the earlier version is not in the history of this clone (git fetch --unshallow)",
  );

const ALL_VIEWS = "/apis/view.prevail.dev/v1alpha1/effectivepolicies";

describe.skipIf(!isThere)("the version before, this one, and back", { timeout: 300_000 }, () => {
  let plane: ControlPlane;
  let balancer: Balancer;
  /** In front of the webhooks of the replicas. */
  let webhooks: Balancer;
  let earlier: EarlierVersion;
  let replicas: readonly ControllerProcess[] = [];
  let args: { readonly earlier: readonly string[]; readonly present: readonly string[] };

  beforeAll(async () => {
    const built = buildEarlierVersion();
    if (parts === undefined || built === undefined) return;
    earlier = built;
    buildProgram();
    // The CRDs come with the chart of the version before.
    plane = await startControlPlane(parts, { frontProxy: true, hasOwnKinds: false });
    [balancer, webhooks] = [await startBalancer(), await startBalancer()];
    await applyAll(plane, foreignCrds);
    await helmIn("install", "prevail", earlier.chart, "--create-namespace", ...valueArgs(values()));
    await until(async () => (await kubectl("api-resources --api-group prevail.dev -o name")).includes("coveragerules"));
    const external = JSON.stringify({ spec: { type: "ExternalName", externalName: "localhost" } });
    await plane.kubectl(["patch", "service", "prevail-view", "-n", VIEW_NAMESPACE, "-p", external]);
    const [before, now] = await Promise.all(
      [earlier.chart, CHART].map((chart) => renderChart(helm ?? "", values(), chart)),
    );
    args = { earlier: controllerArgs(before ?? ""), present: controllerArgs(now ?? "") };
    replicas = [await startEarlier(), await startEarlier()];
    turnToReplicas();
    await kubectl("annotate apiservice v1alpha1.view.prevail.dev touched=yes");
    await untilServed(plane);
    // Without a webhook that responds nothing of these kinds can be written.
    await until(() => judge().then(() => true));
    await applyAll(plane, clusterObjects);
  }, 300_000);
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await balancer?.close();
    await webhooks?.close();
    await plane?.close();
  });

  const values = () => ({
    mode: "report",
    "viewApi.port": balancer.port,
    "webhook.port": webhooks.port,
    "webhook.mode": "deny",
    "webhook.failurePolicy": "Fail",
  });
  const turnToReplicas = (): void => {
    balancer.turnTo(replicas.map(({ port }) => port));
    webhooks.turnTo(replicas.map(({ webhookPort }) => webhookPort));
  };
  const kubectl = (line: string): Promise<string> => plane.kubectl(line.split(" "));
  const helmIn = (...more: readonly string[]): Promise<string> =>
    runHelm(helm ?? "", [...more, "--namespace", VIEW_NAMESPACE], { kubeconfig: plane.kubeconfig });
  const startEarlier = (): Promise<ControllerProcess> => startController(plane, args.earlier, earlier.program);
  const startPresent = (): Promise<ControllerProcess> => startController(plane, args.present);

  /** One replica goes after the next has come, as in a rolling update. */
  const replace = async (old: ControllerProcess, start: () => Promise<ControllerProcess>): Promise<void> => {
    const next = await start();
    replicas = [...replicas.filter((one) => one !== old), next];
    turnToReplicas();
    expect(await old.close()).toBe(0);
  };
  const ask = (): Promise<string> =>
    kubectl("get --raw /apis/view.prevail.dev/v1alpha1/namespaces/bakery/effectivepolicies");
  /** Rejects unless the webhook has judged an object: it is refused for its own error, and nothing is stored. */
  const judge = async (): Promise<void> => {
    const create = ["create", "--dry-run=server", "-f", "-"];
    const refusal = await plane.kubectl(create, JSON.stringify(brokenDefinition)).catch(String);
    if (!refusal.includes("denied the request: BrokenDefinition")) throw new Error(refusal);
  };
  /** Each failure that was not over with the next request, of the view API and of the webhook. */
  const whileInUse = async (run: () => Promise<void>): Promise<readonly unknown[]> => {
    let rolled: readonly unknown[] = [];
    const unjudged = await whileAsking(judge, async () => {
      rolled = await whileAsking(ask, run);
    });
    return [...rolled, ...unjudged];
  };
  let attempts = 0;
  /** Edits a policy, and waits until a replica has reported on this edit. */
  const edit = async (): Promise<void> => {
    const patch = JSON.stringify({ spec: { defaults: { retry: { attempts: 1 + (++attempts % 7) } } } });
    const command = ["patch", "retrypolicy", "retries", "-n", "bakery", "--type=merge", "-o", "json", "-p", patch];
    const { metadata } = JSON.parse(await plane.kubectl(command)) as {
      readonly metadata: { readonly generation: number };
    };
    await until(async () => (await reported()).generations.includes(metadata.generation));
  };
  interface Reported {
    readonly generations: readonly number[];
    /** One entry for each ancestor and controller, whichever version wrote it. */
    readonly entries: number;
  }
  const reported = async (): Promise<Reported> => {
    const { ancestors = [] } = JSON.parse(
      (await kubectl("get retrypolicy retries -n bakery -o jsonpath={.status}")) || "{}",
    ) as {
      readonly ancestors?: readonly { readonly conditions: readonly { readonly observedGeneration: number }[] }[];
    };
    return {
      generations: ancestors.flatMap(({ conditions }) =>
        conditions.map(({ observedGeneration }) => observedGeneration),
      ),
      entries: ancestors.length,
    };
  };
  const answersOf = async (ports: readonly number[]): Promise<ReadonlySet<string>> => {
    const answers = new Set<string>();
    for (const port of ports) {
      balancer.use([port]);
      // Open connections are cut, so the first request may fail.
      answers.add(await kubectl(`get --raw ${ALL_VIEWS}`).catch(() => kubectl(`get --raw ${ALL_VIEWS}`)));
    }
    balancer.use(replicas.map(({ port }) => port));
    return answers;
  };
  const hasStatus = async (): Promise<boolean> =>
    (await kubectl("get crd coveragerules.prevail.dev -o jsonpath={.spec.versions[0].subresources}")).includes(
      "status",
    );

  test("the version before reports", async () => {
    expect(await hasStatus()).toBe(false);
    await edit();
    expect((await reported()).entries).toBe(1);
  });

  test("an upgrade, replica by replica: no request of users and none to the webhook fails twice, and in the end every object has this version's words", async () => {
    const failures = await whileInUse(async () => {
      await helmIn("upgrade", "prevail", CHART, ...valueArgs(values()));
      for (const old of replicas) {
        await replace(old, startPresent);
        await edit();
      }
    });
    expect(failures).toEqual([]);
    expect(await hasStatus()).toBe(true);
    await untilReported(plane);
    // What the version before wrote was taken over: no second entry beside it.
    expect((await reported()).entries).toBe(1);
  });

  test("what only this version has: the status of a CoverageRule", async () => {
    await applyAll(plane, [coverageRule]);
    await until(async () =>
      (await kubectl("get coveragerule retried -o jsonpath={.status.conditions[*].type}")).includes("Covered"),
    );
  });

  test("a rollback, replica by replica: no request of users and none to the webhook fails twice, and each edit of a policy is reported on", async () => {
    const failures = await whileInUse(async () => {
      await helmIn("rollback", "prevail");
      const [first, second] = replicas;
      if (first === undefined || second === undefined) throw new Error("there are two replicas");
      await replace(first, startEarlier);
      await edit();
      await replace(second, startEarlier);
      await edit();
    });
    expect(failures).toEqual([]);
    expect(await hasStatus()).toBe(false);
    expect((await reported()).entries).toBe(1);
    expect(await kubectl("get coveragerules -o name")).toContain("retried");
  });

  test("forward again: replicas of both versions have the same responses, and in the end every object has this version's words", async () => {
    const mixed = await startPresent();
    replicas = [...replicas, mixed];
    expect((await answersOf(replicas.map(({ port }) => port))).size).toBe(1);
    await helmIn("upgrade", "prevail", CHART, ...valueArgs(values()));
    for (const old of replicas.filter((one) => one !== mixed)) await replace(old, startPresent);
    await edit();
    await untilReported(plane);
  });
});
