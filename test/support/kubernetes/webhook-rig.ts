/** Two replicas of the controller that serve the admission webhooks, behind one port each for the view API and the webhooks. */
import { readFileSync } from "node:fs";
import type { KubeClient } from "../../../src/adapters/cluster/client/kube-client.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { findFreePorts } from "../gateway/find-free-ports.ts";
import type { ControlPlane } from "./control-plane.ts";
import { until } from "./until.ts";
import {
  type Balancer,
  installViewApi,
  startBalancer,
  startViewReplica,
  untilServed,
  VIEW_NAMESPACE,
  type ViewReplica,
} from "./view-replica.ts";

export const WEBHOOK_TIMING = { everyMs: 200, trustMs: 2000 };

export interface WebhookRig {
  readonly webhooks: Balancer;
  readonly webhookPorts: readonly number[];
  /** Applies a file of `deploy/webhook` with the port of this machine, and returns the warnings. */
  readonly install: (file: "rights" | "warn" | "deny", failurePolicy?: "Fail") => Promise<string>;
  /** Resolves when the configuration has a caBundle, so that the controller has seen it. */
  readonly untilTrusted: (name: string) => Promise<void>;
  /** Replaces the authority of the certificates. Resolves when all replicas use a certificate of the new one. */
  readonly rotate: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Resolves when the replicas have read the cluster. No configuration is installed. */
export async function startWebhookRig(plane: ControlPlane): Promise<WebhookRig> {
  const [views, webhooks] = [await startBalancer(), await startBalancer()];
  const replicas: ViewReplica[] = [];
  const install: WebhookRig["install"] = async (file, failurePolicy) => {
    const text = readFileSync(`deploy/webhook/${file}.yaml`, "utf8").replace("port: 9443", `port: ${webhooks.port}`);
    const whole = failurePolicy === undefined ? text : text.replace("failurePolicy: Ignore", "failurePolicy: Fail");
    return (await plane.kubectlBoth(["apply", "-f", "-"], whole)).errors;
  };
  const bundle = (name: string): Promise<string> =>
    plane.kubectl([
      "get",
      "validatingwebhookconfiguration",
      name,
      "-o",
      "jsonpath={.webhooks[*].clientConfig.caBundle}",
    ]);
  const changes = ({ notes }: ViewReplica): number =>
    notes.filter((note) => note === "the certificate has changed").length;
  await installViewApi(plane, views.port);
  await install("rights");
  const webhookPorts = await findFreePorts(2);
  const deny = { refuseConflicts: true, confirmAbove: 1 };
  for (const port of webhookPorts)
    replicas.push(
      await startViewReplica(
        plane,
        { webhook: { host: "127.0.0.1", port, clientAuthorityFile: undefined, deny, redactsNames: false } },
        WEBHOOK_TIMING,
      ),
    );
  views.use(replicas.map(({ port }) => port));
  webhooks.use(webhookPorts);
  await untilServed(plane);
  await until(() => replicas.every(({ notes }) => notes.some((note) => note.includes("has been read"))));
  return {
    webhooks,
    webhookPorts,
    install,
    untilTrusted: (name) => until(async () => (await bundle(name)) !== ""),
    rotate: async () => {
      const [before, changed] = [await bundle("prevail-deny"), replicas.map(changes)];
      const removal = '[{"op":"remove","path":"/data/ca.key"}]';
      await plane.kubectl(["patch", "secret", "prevail-tls", "-n", VIEW_NAMESPACE, "--type", "json", "-p", removal]);
      await until(async () => (await bundle("prevail-deny")) !== before);
      await until(() => replicas.every((replica, i) => changes(replica) > (changed[i] ?? 0)));
    },
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.close()));
      await views.close();
      await webhooks.close();
    },
  };
}

export interface RotationOutcome {
  readonly calls: number;
  readonly failures: readonly string[];
}

/** Replaces the authority again and again while two clients create a policy as a dry run. `policy`: it is allowed. */
export async function rotateUnderLoad(
  { rotate }: WebhookRig,
  client: KubeClient,
  policy: JsonObject,
  rounds: number,
): Promise<RotationOutcome> {
  let [calls, isOver] = [0, false];
  const failures: string[] = [];
  const { namespace } = policy["metadata"] as { readonly namespace: string };
  const request = {
    method: "POST",
    path: `/apis/prevail.dev/v1alpha1/namespaces/${namespace}/retrypolicies`,
    query: { dryRun: "All" },
    body: policy,
  } as const;
  const load = async (): Promise<void> => {
    while (!isOver) {
      await client.request(request).catch((error: unknown) => failures.push(String(error)));
      calls++;
    }
  };
  const loads = [load(), load()];
  try {
    for (let round = 0; round < rounds; round++) {
      await rotate();
      const reached = calls + 20;
      await until(() => calls > reached);
    }
  } finally {
    isOver = true;
    await Promise.all(loads);
  }
  return { calls, failures };
}
