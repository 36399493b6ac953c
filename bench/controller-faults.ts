/** The promises of the controller while its leader is killed and stopped, its API server restarts, and the authority of its webhooks is replaced. */
import type { JsonObject } from "../src/core/model/json.ts";
import { gateway, gatewayClass, namespace, policy, routeTo, service } from "../test/support/cluster/gateway-objects.ts";
import { clientAs } from "../test/support/kubernetes/cluster-client.ts";
import { startControlPlane } from "../test/support/kubernetes/control-plane.ts";
import { type FaultRig, startFaultRig, UNDER_WAY } from "../test/support/kubernetes/fault-rig.ts";
import { findKubernetes } from "../test/support/kubernetes/find-kubernetes.ts";
import { rotateUnderLoad, startWebhookRig } from "../test/support/kubernetes/webhook-rig.ts";
import type { BenchContext } from "./bench-context.ts";
import { median } from "./measure.ts";

const LEASE = ["3s", "2s", "500ms"] as const;

export async function benchFaults(context: BenchContext, rounds: number): Promise<void> {
  const parts = await findKubernetes();
  if (parts === undefined) return;
  const rig = await startFaultRig(parts, LEASE);
  try {
    await measureRounds(context, `${rounds} × leader killed, Lease ${LEASE[0]}`, rounds, rig, rig.killLeader);
    const late: number[] = [];
    const name = `${rounds} × leader stopped for longer than its Lease`;
    await measureRounds(context, name, rounds, rig, async () => void late.push((await rig.stopLeader()) ?? 0));
    const metric = "writes of the leader that is none any more, the most";
    context.report({ case: name, metric, value: Math.max(0, ...late), unit: "", bar: UNDER_WAY });
    await measureRounds(context, `${rounds} × API server restarted`, rounds, rig, rig.restartServer);
  } finally {
    await rig.close();
  }
}

/** A round ends when every status is right, or fails after 150 s. */
async function measureRounds(
  context: BenchContext,
  name: string,
  rounds: number,
  rig: FaultRig,
  run: () => Promise<void>,
): Promise<void> {
  let wrong = 0;
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await run().catch(async (error: unknown) => {
      console.error(error);
      wrong++;
      await rig.revive();
    });
    took.push(performance.now() - began);
  }
  context.report({
    case: name,
    metric: "rounds after which a status is not what an evaluation says",
    value: wrong,
    unit: "",
    bar: 0,
  });
  context.report({ case: name, metric: "a round with its changes, p50", value: median(took) / 1000, unit: "s" });
}

export async function benchRotations(context: BenchContext, rotations: number): Promise<void> {
  const parts = await findKubernetes();
  if (parts === undefined) return;
  const plane = await startControlPlane(parts, { frontProxy: true });
  const client = await clientAs(plane);
  try {
    const objects = [
      namespace("bakery"),
      gatewayClass("class", "prevail.dev/gateway"),
      gateway("g"),
      service("s"),
      routeTo("r1", "Gateway/g", "s"),
    ];
    await plane.kubectl(
      ["apply", "--server-side", "-f", "-"],
      objects.map((object) => JSON.stringify(object)).join("\n---\n"),
    );
    const rig = await startWebhookRig(plane);
    try {
      await rig.install("deny", "Fail");
      await rig.untilTrusted("prevail-deny");
      const { calls, failures } = await rotateUnderLoad(rig, client, loadPolicy, rotations);
      const name = `${rotations} rotations of the authority under load`;
      context.report({
        case: name,
        metric: `failed calls, of ${calls.toLocaleString("en")}`,
        value: failures.length,
        unit: "",
        bar: 0,
      });
    } finally {
      await rig.close();
    }
  } finally {
    client.close();
    await plane.close();
  }
}

const loadPolicy: JsonObject = {
  ...policy("RetryPolicy", "load", ["HTTPRoute/r1"], { retry: { attempts: 2 } }, { group: "prevail.dev" }),
  apiVersion: "prevail.dev/v1alpha1",
  metadata: { name: "load", namespace: "bakery" },
};
