/** deploy/manifests with kubectl alone, as docs/install.md says: applied, in use, and removed. `chart.test.ts` compares the files with the chart. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { type ControllerProcess, runProgram, startController } from "../support/kubernetes/controller-process.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { buildProgram } from "../support/kubernetes/program-process.ts";
import { controllerArgs } from "../support/kubernetes/rendered-chart.ts";
import { CLUSTER_START, CLUSTER_TEST, until, untilEstablished } from "../support/kubernetes/until.ts";
import { type Balancer, startBalancer, untilServed, VIEW_NAMESPACE } from "../support/kubernetes/view-replica.ts";
import { clusterObjects, foreignCrds } from "./install-objects.ts";
import { applyAll, applyKinds } from "./status-objects.ts";

const parts = await findKubernetes();
const MODES = ["observe", "report", "gateway"] as const;
const manifestOf = (mode: string): string => `deploy/manifests/${mode}.yaml`;
const CRDS = 6;

describe.skipIf(parts === undefined)("deploy/manifests", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let balancer: Balancer;
  let replica: ControllerProcess | undefined;
  beforeAll(async () => {
    if (parts === undefined) return;
    buildProgram();
    plane = await startControlPlane(parts, {
      frontProxy: true,
      hasOwnKinds: false,
      controllers: ["namespace-controller"],
    });
    balancer = await startBalancer();
    await applyKinds(plane, ...foreignCrds);
  }, CLUSTER_START);
  afterAll(async () => {
    await replica?.close();
    await balancer?.close();
    await plane?.close();
  });

  const kubectl = (line: string): Promise<string> => plane.kubectl(line.split(" "));
  const objectsIn = (file: string): number => readFileSync(file, "utf8").match(/^kind: /gm)?.length ?? 0;
  const linesOf = (output: string): readonly string[] => output.trim().split("\n");

  test.each(MODES)("the API server accepts each object: %s", async (mode) => {
    // A dry run does not make the namespace of the other objects.
    await kubectl(`create namespace ${VIEW_NAMESPACE} --save-config`).catch(() => "it is there");
    const lines = linesOf(await kubectl(`apply --dry-run=server -f deploy/crds -f ${manifestOf(mode)}`));
    expect(lines).toHaveLength(CRDS + objectsIn(manifestOf(mode)));
    expect(lines.filter((line) => !/ (?:created|configured) \(server dry run\)$/.test(line))).toEqual([]);
    expect(lines).toContain("deployment.apps/prevail-controller created (server dry run)");
  });

  test("report is applied to a cluster without anything of it, and the controller works with what it says", async () => {
    await kubectl(`delete namespace ${VIEW_NAMESPACE}`);
    const manifest = manifestOf("report");
    const lines = linesOf(await kubectl(`apply --server-side -f deploy/crds -f ${manifest}`));
    expect(lines).toHaveLength(CRDS + objectsIn(manifest));
    await untilEstablished(plane.kubectl);
    await applyAll(plane, clusterObjects);
    // No Pod runs here: the Service leads to a port of this machine.
    const patch = (object: string, spec: object): Promise<string> =>
      plane.kubectl(["patch", ...object.split(" "), "--type=merge", "-p", JSON.stringify({ spec })]);
    await patch(`service prevail-view -n ${VIEW_NAMESPACE}`, { type: "ExternalName", externalName: "localhost" });
    await patch("apiservice v1alpha1.view.prevail.dev", { service: { port: balancer.port } });
    replica = await startController(plane, controllerArgs(readFileSync(manifest, "utf8")));
    balancer.turnTo([replica.port]);
    await untilServed(plane);
    expect(await kubectl("get effectivepolicies -n bakery")).toMatch(
      /^httproute\.baker .*RetryPolicy bakery\/retries/m,
    );
    await until(async () => (await kubectl("get retrypolicies -n bakery --no-headers")).includes(" Enforced "));
  });

  test("they are removed as docs/install.md says, and nothing is left", async () => {
    const [, commands = ""] =
      /^## Removal\n[\s\S]*?```text\n([\s\S]*?)```/m.exec(readFileSync("docs/install.md", "utf8")) ?? [];
    const [cleanup = "", ...removals] = commands
      .split("\n")
      .flatMap((line) => (line.trim() === "" ? [] : [line.replace(/^helm .*# or: /, "").replace(/ +#.*$/, "")]));
    const args = cleanup.replace(/^kubectl prevail /, "").split(" ");
    expect(await runProgram(...args, "--kubeconfig", plane.kubeconfig)).toContain("deleted APIService");
    await replica?.close();
    for (const command of removals) {
      expect(command).toMatch(/^kubectl delete /);
      await kubectl(command.replace(/^kubectl /, ""));
    }
    const kinds = (await kubectl("api-resources --verbs=list,get -o name")).trim().split("\n");
    const left = await kubectl(`get ${kinds.join()} -A -o name --ignore-not-found`);
    expect(linesOf(left).filter((name) => /prevail/.test(name))).toEqual([]);
  });
});
