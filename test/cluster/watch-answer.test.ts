import { execFileSync, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import {
  applyObject,
  createObject,
  deleteObject,
  getObject,
} from "../../src/adapters/cluster/client/object-requests.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { type CliResult, runCli } from "../support/cli/run-cli.ts";
import { anySpec, customResourceDefinition } from "../support/crd/custom-resource.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_START, CLUSTER_TEST, until, untilEstablished } from "../support/kubernetes/until.ts";

const parts = await findKubernetes();
const GROUP = "gateway.networking.k8s.io";
const GATEWAYS = { group: GROUP, version: "v1", plural: "gateways" };
const CLASSES = { group: GROUP, version: "v1", plural: "gatewayclasses" };
const ROUTES = { group: GROUP, version: "v1", plural: "httproutes" };
const SERVICES = { group: "", version: "v1", plural: "services" };
const POLICIES = { group: "prevail.dev", version: "v1alpha1", plural: "retrypolicies" };

const named = (apiVersion: string, kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(kind === "GatewayClass" ? {} : { namespace: "default" }) },
  spec,
});
const route = (name: string): JsonObject =>
  named(`${GROUP}/v1`, "HTTPRoute", name, {
    parentRefs: [{ name: "g" }],
    hostnames: [`${name}.example`],
    rules: [{ name: "all", backendRefs: [{ name: "s", port: 80 }] }],
  });
const policy = (name: string, kind: string, target: string, block: "defaults" | "overrides", attempts: number) =>
  named("prevail.dev/v1alpha1", "RetryPolicy", name, {
    targetRefs: [{ group: GROUP, kind, name: target }],
    [block]: { retry: { attempts } },
  });

/** A command that goes on: what it has printed so far, and how to end it. */
interface Running {
  readonly printed: () => string;
  readonly until: (text: string) => Promise<void>;
  readonly end: () => Promise<CliResult>;
}

describe.skipIf(parts === undefined)("-w", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let writer: KubeClient;
  beforeAll(async () => {
    if (parts === undefined) return;
    execFileSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { stdio: "ignore" });
    plane = await startControlPlane(parts);
    writer = await clientAs(plane);
    await createObject(
      writer,
      CLASSES,
      named(`${GROUP}/v1`, "GatewayClass", "c", { controllerName: "prevail.dev/gateway" }),
    );
    const listeners = [{ name: "http", port: 80, protocol: "HTTP" }];
    await createObject(writer, GATEWAYS, named(`${GROUP}/v1`, "Gateway", "g", { gatewayClassName: "c", listeners }));
    await createObject(writer, SERVICES, named("v1", "Service", "s", { clusterIP: "None", ports: [{ port: 80 }] }));
    for (const name of ["cake", "bread"]) await createObject(writer, ROUTES, route(name));
    await createObject(writer, POLICIES, policy("mild", "HTTPRoute", "cake", "defaults", 1));
  }, CLUSTER_START);
  afterAll(async () => {
    writer?.close();
    await plane?.close();
  });

  function start(line: string): Running {
    const ended = new AbortController();
    let text = "";
    const onOutput = (more: string): void => {
      text += more;
    };
    const running = runCli(`${line} --kubeconfig ${plane.kubeconfig}`, { signal: ended.signal, onOutput });
    return {
      printed: () => text,
      until: async (wanted) => {
        await until(
          () => text.includes(wanted),
          () => `'${wanted}' in:\n${text}`,
        );
      },
      end: async () => {
        ended.abort();
        return running;
      },
    };
  }
  const remove = async (name: string): Promise<void> => {
    const object = await getObject(writer, POLICIES, { namespace: "default", name });
    if (object !== undefined) await deleteObject(writer, POLICIES, object);
  };

  test("explain: the values that change on the target, as plan prints them; nothing about others", async () => {
    const running = start("explain httproute/cake -w");
    await running.until("retry.attempts");
    const first = running.printed();
    await applyObject(writer, POLICIES, policy("sour", "HTTPRoute", "bread", "defaults", 7), { fieldManager: "t" });
    await applyObject(writer, POLICIES, policy("house", "Gateway", "g", "overrides", 5), { fieldManager: "t" });
    await running.until("+ 5 from RetryPolicy default/house");
    const changed = running.printed().slice(first.length);
    expect(changed).toContain("+ created RetryPolicy default/house");
    expect(changed).toContain("- 1 from RetryPolicy default/mild");
    expect(changed).not.toContain("bread");
    await remove("house");
    await running.until("- deleted RetryPolicy default/house");
    await running.until("+ 1 from RetryPolicy default/mild");
    const { code, stderr } = await running.end();
    expect([code, stderr]).toEqual([0, ""]);
    await remove("sour");
  });

  test("get policies: verdicts of policies; -o json is a stream of documents", async () => {
    const running = start("get policies -w -o json");
    await running.until("PolicyList");
    await applyObject(writer, POLICIES, policy("house", "Gateway", "g", "overrides", 5), { fieldManager: "t" });
    await running.until('"kind": "Plan"');
    await remove("house");
    await running.until('"change": "Deleted"');
    const { stdout } = await running.end();
    const documents = stdout.split(/^(?=\{$)/m).map((text) => JSON.parse(text) as JsonObject);
    expect(documents.map(({ kind }) => kind)).toEqual(["PolicyList", "Plan", "Plan"]);
    expect(documents[1]).toMatchObject({ effective: [], policies: expect.arrayContaining([expect.anything()]) });
    expect(JSON.stringify(documents[1])).toContain('"house"');
    expect(JSON.stringify(documents[1])).toContain('"mild"');
  });

  test("reach: where the policy takes effect and where no longer", async () => {
    const running = start("reach retrypolicy/mild -w");
    await running.until("retry.attempts");
    await applyObject(writer, POLICIES, policy("house", "Gateway", "g", "overrides", 5), { fieldManager: "t" });
    await running.until("RetryPolicy default/mild: Enforced → Overridden");
    await remove("house");
    await running.until("RetryPolicy default/mild: Overridden → Enforced");
    expect((await running.end()).code).toBe(0);
  });

  test("check: findings that are new and findings that are resolved", async () => {
    const running = start("check -w");
    // Without findings, check prints one line.
    await running.until("\n");
    await applyObject(writer, POLICIES, policy("lost", "HTTPRoute", "pie", "defaults", 1), { fieldManager: "t" });
    await running.until("New findings");
    await running.until("TargetNotFound");
    await remove("lost");
    await running.until("Resolved findings");
    expect((await running.end()).code).toBe(0);
  });

  test("get of a kind: objects that come, change and go, and the values on them; not those of other kinds", async () => {
    const running = start("get httproutes -w");
    await running.until("bread");
    const first = running.printed();
    await createObject(writer, SERVICES, named("v1", "Service", "other", { clusterIP: "None", ports: [{ port: 80 }] }));
    await createObject(writer, ROUTES, route("pie"));
    await running.until("+ created HTTPRoute default/pie");
    await createObject(writer, POLICIES, policy("fresh", "HTTPRoute", "pie", "defaults", 3));
    await running.until("+ 3 from RetryPolicy default/fresh");
    await remove("fresh");
    await running.until("- 3 from RetryPolicy default/fresh");
    const pie = await getObject(writer, ROUTES, { namespace: "default", name: "pie" });
    if (pie !== undefined) await deleteObject(writer, ROUTES, pie);
    await running.until("- deleted HTTPRoute default/pie");
    expect(running.printed().slice(first.length)).not.toContain("Service default/other");
    expect((await running.end()).code).toBe(0);
  });

  test("a policy kind that comes and goes changes the answer", async () => {
    const running = start("explain httproute/cake -w");
    await running.until("retry.attempts");
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavourCrd));
    await untilEstablished(plane.kubectl);
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify(flavour));
    await running.until("+ sweet from FlavourPolicy default/icing");
    await plane.kubectl(["delete", "crd", "flavourpolicies.example.com"]);
    await running.until("- sweet from FlavourPolicy default/icing");
    expect((await running.end()).code).toBe(0);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s ends the program, with exit code 0", async (signal) => {
    const { child, ended, untilPrinted } = startProgram(["explain", "httproute/cake", "-w"], plane);
    await untilPrinted("retry.attempts");
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  test("a closed pipe ends the program with the next change", async () => {
    const { child, ended, untilPrinted } = startProgram(["explain", "httproute/cake", "-w"], plane);
    await untilPrinted("retry.attempts");
    child.stdout?.destroy();
    await applyObject(writer, POLICIES, policy("house", "Gateway", "g", "overrides", 5), { fieldManager: "t" });
    expect(await ended).toEqual({ code: 0, signal: null });
    await remove("house");
  });

  test.each([
    ["explain httproute/cake -w -f examples/bakery", "-w follows a cluster, and -f is about files"],
    ["get policies -w -o name", "-w has no output format name: use wide, json or yaml"],
    ["get definitions -w", "definitions are printed once"],
    ["check -w -o sarif", "-w has no output format sarif"],
  ])("%s is a mistake", async (line, message) => {
    const { code, stderr } = await runCli(line, { env: { KUBECONFIG: plane.kubeconfig } });
    expect(code).toBe(64);
    expect(stderr).toContain(message);
  });
});

function startProgram(args: readonly string[], { kubeconfig }: ControlPlane) {
  const child = spawn(process.execPath, ["dist/bin/prevail.js", ...args, "--kubeconfig", kubeconfig], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const untilPrinted = (wanted: string): Promise<void> =>
    until(
      () => text.includes(wanted),
      () => `'${wanted}' in:\n${text}`,
    );
  return { child, ended, untilPrinted };
}

const flavourCrd = customResourceDefinition({
  kind: "FlavourPolicy",
  plural: "flavourpolicies",
  labels: { "gateway.networking.k8s.io/policy": "Inherited" },
  spec: anySpec,
});
const flavour = {
  apiVersion: "example.com/v1",
  kind: "FlavourPolicy",
  metadata: { name: "icing", namespace: "default" },
  spec: { targetRefs: [{ group: GROUP, kind: "HTTPRoute", name: "cake" }], taste: "sweet" },
};
