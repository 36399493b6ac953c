/** The chart in the mode observe, installed in a cluster: it reads, answers users, and writes nothing but its own certificate. `install.test.ts` has the mode report. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { type ControllerProcess, startController } from "../support/kubernetes/controller-process.ts";
import { findHelm, findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CHART, renderChart, runHelm, valueArgs } from "../support/kubernetes/helm.ts";
import { buildProgram } from "../support/kubernetes/program-process.ts";
import { controllerArgs, controllerRights, formatRight, usesRight } from "../support/kubernetes/rendered-chart.ts";
import { createRequestLog, type RequestLog } from "../support/kubernetes/request-log.ts";
import { CLUSTER_START, CLUSTER_TEST, until, untilEstablished } from "../support/kubernetes/until.ts";
import { type Balancer, startBalancer, untilServed, VIEW_NAMESPACE } from "../support/kubernetes/view-replica.ts";
import { clusterObjects, foreignCrds } from "./install-objects.ts";

const parts = await findKubernetes();
const helm = await findHelm();
const CONTROLLER = `system:serviceaccount:${VIEW_NAMESPACE}:prevail-controller`;

describe.skipIf(parts === undefined || helm === undefined)("the chart in the mode observe", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let balancer: Balancer;
  let audit: RequestLog;
  let rendered = "";
  let replica: ControllerProcess | undefined;
  beforeAll(async () => {
    if (parts === undefined) return;
    buildProgram();
    audit = createRequestLog();
    const controllers = ["clusterrole-aggregation-controller"];
    plane = await startControlPlane(parts, { users: { ana: [] }, frontProxy: true, flags: audit.flags, controllers });
    balancer = await startBalancer();
    await apply(foreignCrds);
    await untilEstablished(plane.kubectl);
    await apply(clusterObjects);
    await plane.kubectl(["create", "namespace", VIEW_NAMESPACE]);
    const policyKinds = [
      { apiGroup: "policies.example.com", resources: ["authpolicies", "limitpolicies"] },
      { apiGroup: "kitchen.example.com", resources: ["ovens"] },
    ];
    const values = { mode: "observe", "viewApi.port": balancer.port, policyKinds };
    rendered = await renderChart(helm ?? "", values);
    const owner = ["--namespace", VIEW_NAMESPACE, "--take-ownership"];
    const access = { kubeconfig: plane.kubeconfig };
    await runHelm(helm ?? "", ["install", "prevail", CHART, ...owner, ...valueArgs(values)], access);
    // The Service leads to a port of this machine, as no Pod runs here.
    const spec = { type: "ExternalName", externalName: "localhost" };
    const patch = JSON.stringify({ spec });
    await plane.kubectl(["patch", "service", "prevail-view", "-n", VIEW_NAMESPACE, "-p", patch]);
    replica = await startController(plane, controllerArgs(rendered));
    balancer.turnTo([replica.port]);
    await untilServed(plane);
  }, CLUSTER_START);
  afterAll(async () => {
    await replica?.close();
    await balancer?.close();
    await plane?.close();
    audit?.close();
  });

  const apply = (items: readonly object[]): Promise<string> =>
    plane.kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const requests = () => audit.read().filter(({ user }) => user.username === CONTROLLER);

  test("users read the view API with their own rights", async () => {
    const ask = (): Promise<string> =>
      plane.kubectl(["get", "effectivepolicies", "-n", "bakery", "--token", plane.token("ana")]);
    await expect(ask()).rejects.toThrow(/forbidden/i);
    await plane.kubectl(["create", "rolebinding", "ana", "-n", "bakery", "--clusterrole=view", "--user=ana"]);
    let table = "";
    await until(async () => {
      table = await ask();
      return table.includes("httproute.baker");
    });
    expect(table).toContain("RetryPolicy bakery/retries");
  });

  test("it writes its certificate and where that is trusted, and no status, Lease or Event", async () => {
    // A change of the words that a controller in the mode report would write.
    const patch = JSON.stringify({ spec: { defaults: { retry: { attempts: 7 } } } });
    await plane.kubectl(["patch", "retrypolicy", "retries", "-n", "bakery", "--type=merge", "-p", patch]);
    // Such a controller would have written it long before.
    await sleep(3000);
    const isRead = (verb: string): boolean => ["get", "list", "watch"].includes(verb);
    const written = requests()
      .filter(({ verb }) => !isRead(verb))
      .map(({ objectRef }) => [objectRef?.resource, objectRef?.subresource].filter(Boolean).join("/"));
    expect([...new Set(written)].sort()).toEqual(["apiservices", "secrets", "subjectaccessreviews"]);
    expect(await plane.kubectl(["get", "retrypolicy", "retries", "-n", "bakery", "-o", "jsonpath={.status}"])).toBe("");
  });

  test("no request was forbidden, and each right was used", () => {
    const made = requests();
    const forbidden = made.filter(({ responseStatus }) => responseStatus?.code === 403);
    expect(forbidden.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    const rights = controllerRights(rendered);
    const unused = rights.filter((right) => !made.some((event) => usesRight(event, right)));
    // Gateway API before 1.5 has XListenerSets; the API server of this test does not. A new certificate is made in `install.test.ts`.
    expect(unused.filter(({ resource }) => !resource.startsWith("xlistenersets")).map(formatRight)).toEqual([
      "prevail-controller: update secrets prevail-tls in test 'its certificate'",
    ]);
  });
});
