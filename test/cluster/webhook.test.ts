/** The admission webhooks behind a real API server, with real kubectl: warnings, refusals, and that no deletion waits for them for ever. */
import { createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_TEST, until, untilEstablished } from "../support/kubernetes/until.ts";
import { startViewReplica, VIEW_NAMESPACE } from "../support/kubernetes/view-replica.ts";
import {
  rotateUnderLoad,
  startWebhookRig,
  WEBHOOK_TIMING,
  type WebhookRig,
} from "../support/kubernetes/webhook-rig.ts";

const parts = await findKubernetes();
/** `PREVAIL_ROTATIONS=20` for a long run. */
const ROTATIONS = Number(process.env["PREVAIL_ROTATIONS"] ?? 2);

describe.skipIf(parts === undefined)("the admission webhooks", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let client: KubeClient;
  let rig: WebhookRig;
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts, {
      frontProxy: true,
      controllers: ["namespace-controller", "garbage-collector-controller"],
    });
    client = await clientAs(plane);
    await applyAll(...crds);
    await untilEstablished(plane.kubectl);
    await applyAll(...cluster);
    rig = await startWebhookRig(plane);
    await rig.install("warn");
    await untilFound("prevail-warn-found");
  }, 400_000);
  afterAll(async () => {
    await rig?.close();
    client?.close();
    await plane?.close();
  });

  const apply = async (text: string): Promise<string> => (await plane.kubectlBoth(["apply", "-f", "-"], text)).errors;
  const applyAll = (...items: readonly JsonObject[]): Promise<string> =>
    apply(JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const kubectl = (line: string): Promise<string> => plane.kubectl(line.split(" "));
  const warningsOf = async (line: string): Promise<string> => (await plane.kubectlBoth(line.split(" "))).errors;
  const untilFound = (name: string): Promise<void> =>
    until(async () =>
      (
        await kubectl(`get validatingwebhookconfiguration ${name} -o jsonpath={.webhooks[*].rules[*].resources}`)
      ).includes("colours"),
    );
  /** What one replica knows is a moment behind what was applied. */
  const untilWarned = (line: string, text: string | RegExp): Promise<void> =>
    until(async () => {
      const warnings = await warningsOf(line);
      return typeof text === "string" ? warnings.includes(text) : text.test(warnings);
    });

  /** Until the API server and the replicas know what has been applied. */
  const untilRefused = (act: () => Promise<unknown>, reason: RegExp): Promise<void> =>
    until(async () => {
      const outcome = await act().then(
        () => "",
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      return reason.test(outcome);
    });

  describe("warn", () => {
    test("kubectl delete prints what is about to change; a dry run has no other effect", async () => {
      await untilWarned(
        "delete retrypolicy friday-fix -n infra --dry-run=server",
        "Warning: deleting RetryPolicy infra/friday-fix changes 2 values on 2 paths in namespace bakery; see kubectl prevail plan",
      );
      expect(await kubectl("get retrypolicy -n infra -o name")).toContain("friday-fix");
    });

    test("kubectl apply prints it, too, for kinds that were found at run time as well", async () => {
      expect(
        await applyDry(retry("ana", "bakery", "HTTPRoute", "r1", { defaults: { retry: { attempts: 1 } } })),
      ).toContain(
        "Warning: RetryPolicy bakery/ana will have no effect: all its settings are overridden by RetryPolicy infra/friday-fix",
      );
      await until(async () =>
        (await applyDry(colour("red", { targetRef: { group: GATEWAY, kind: "HTTPRoute", name: "missing" } }))).includes(
          "Warning: Colour bakery/red will not be accepted (TargetNotFound)",
        ),
      );
    });

    test("control characters in what users write are escaped, so that the warning is printed at all", async () => {
      await applyAll(rule("hostile", { message: "line\none\u202e\u0007" }));
      await untilWarned(
        "delete retrypolicy friday-fix -n infra --dry-run=server",
        "CoverageRule hostile (line\\u000aone\\u202e\\u0007) would not be met at HTTPRoute bakery/r1 and at 1 more target",
      );
      await kubectl("delete coveragerule hostile");
    });

    test("--redact-names: a handle instead of the name of a policy of another namespace", async () => {
      const [port = 0] = await findFreePorts(1);
      const webhook = { host: "127.0.0.1", port, clientAuthorityFile: undefined, deny: undefined, redactsNames: true };
      const strict = await startViewReplica(plane, { webhook, redactsNames: true }, WEBHOOK_TIMING);
      try {
        await until(() => strict.notes.some((note) => note.includes("has been read")));
        rig.webhooks.use([port]);
        const uid = await kubectl("get retrypolicy friday-fix -n infra -o jsonpath={.metadata.uid}");
        const ana = retry("ana", "bakery", "HTTPRoute", "r1", { defaults: { retry: { attempts: 1 } } });
        await until(async () =>
          (await applyDry(ana)).includes(`are overridden by RetryPolicy ~${uid.replaceAll("-", "").slice(0, 12)}`),
        );
        expect(await applyDry(ana)).not.toMatch(/friday-fix|infra/);
      } finally {
        rig.webhooks.use(rig.webhookPorts);
        await strict.close();
      }
    });
  });

  const applyDry = async (object: JsonObject): Promise<string> =>
    (await plane.kubectlBoth(["apply", "--dry-run=server", "-f", "-"], JSON.stringify(object))).errors;

  describe("deny, with failurePolicy Fail", () => {
    beforeAll(async () => {
      // Invalid before anything refuses it, with a finalizer.
      await applyAll(colour("broken", {}, ["prevail.dev/test"]));
      await rig.install("deny", "Fail");
      await rig.untilTrusted("prevail-deny");
      await untilFound("prevail-deny-found");
      await untilRefused(() => applyAll(colour("invalid", {})), /denied the request: Invalid: Colour bakery\/invalid/);
    });

    test("a delete that reaches far must be confirmed, also as a part of a collection", async () => {
      await untilRefused(
        () => kubectl("delete retrypolicy friday-fix -n infra"),
        /NotConfirmed: deleting RetryPolicy infra\/friday-fix/,
      );
      const all = { method: "DELETE", path: "/apis/prevail.dev/v1alpha1/namespaces/infra/retrypolicies" } as const;
      await expect(client.request(all)).rejects.toThrow("NotConfirmed");
      await kubectl("annotate retrypolicy friday-fix -n infra prevail.dev/confirm=1");
      await kubectl("delete retrypolicy friday-fix -n infra --dry-run=server");
      await kubectl("annotate retrypolicy friday-fix -n infra prevail.dev/confirm=7 --overwrite");
      await expect(kubectl("delete retrypolicy friday-fix -n infra")).rejects.toThrow("NotConfirmed");
    });

    test("a broken definition, a CoverageRule that says Deny, and what meets it", async () => {
      const broken = definition("Nowhere");
      await untilRefused(() => applyAll(broken), /denied the request: BrokenDefinition: PolicyDefinition/);
      await applyAll(rule("retries", { enforce: "Deny", message: "Every route needs retries." }));
      const route = httpRoute("alone", "other");
      await untilRefused(
        () => applyAll(route),
        /NotCovered: CoverageRule retries \(Every route needs retries\) would not be met at HTTPRoute bakery\/alone/,
      );
      await applyAll(retry("for-alone", "bakery", "HTTPRoute", "alone", { defaults: { retry: { attempts: 1 } } }));
      await until(() => applyAll(route).then(() => true));
      await kubectl("delete coveragerule retries");
    });

    test("an object that was invalid before: its metadata, its finalizer and the object itself can go", async () => {
      await kubectl("label colour broken a=b -n bakery");
      await kubectl("delete colour broken -n bakery --wait=false");
      await kubectl("label colour broken a- -n bakery");
      await plane.kubectl([
        "patch",
        "colour",
        "broken",
        "-n",
        "bakery",
        "--type",
        "json",
        "-p",
        '[{"op":"remove","path":"/metadata/finalizers"}]',
      ]);
      await until(async () => !(await kubectl("get colours -n bakery -o name")).includes("broken"));
    });

    test("a namespace with policies that may not be deleted one by one: a warning, and it goes", async () => {
      await applyAll(
        { apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } },
        { ...gateway, metadata: { name: "own", namespace: "leaving" } },
        { ...httpRoute("a", "own"), metadata: { name: "a", namespace: "leaving" } },
        { ...httpRoute("b", "own"), metadata: { name: "b", namespace: "leaving" } },
        retry("all", "leaving", "Gateway", "own", { overrides: { retry: { attempts: 3 } } }),
      );
      await untilRefused(() => kubectl("delete retrypolicy all -n leaving --dry-run=server"), /NotConfirmed/);
      const { errors } = await plane.kubectlBoth(["delete", "namespace", "leaving", "--timeout=150s"]);
      expect(errors).toMatch(/Warning: deleting Namespace leaving removes 2 paths/);
    });

    test("foreground garbage collection: dependents go with their owner", async () => {
      const owner = retry("owner", "bakery", "HTTPRoute", "absent", { defaults: { retry: { attempts: 1 } } });
      await applyAll(owner);
      const uid = await kubectl("get retrypolicy owner -n bakery -o jsonpath={.metadata.uid}");
      const reference = {
        apiVersion: "prevail.dev/v1alpha1",
        kind: "RetryPolicy",
        name: "owner",
        uid,
        blockOwnerDeletion: true,
      };
      const metadata = { name: "dependent", namespace: "bakery", ownerReferences: [reference] };
      const inBakery = retry("dependent", "bakery", "HTTPRoute", "r1", { overrides: { timeouts: { request: "9s" } } });
      await applyAll({ ...inBakery, metadata });
      await plane.kubectl(["delete", "retrypolicy", "owner", "-n", "bakery", "--cascade=foreground", "--timeout=150s"]);
      expect(await kubectl("get retrypolicies -n bakery -o name")).not.toMatch(/owner|dependent/);
    });

    test.each(["kube-system", VIEW_NAMESPACE])("an excluded namespace is left alone: %s", async (namespace) => {
      const inNamespace = (object: JsonObject): JsonObject => ({ ...object, metadata: { name: "apart", namespace } });
      await expect(applyDry(colour("apart", {}))).rejects.toThrow("denied the request: Invalid");
      expect(await applyDry(inNamespace(colour("apart", {})))).toBe("");
      const policy = retry("apart", "bakery", "HTTPRoute", "missing", { defaults: { retry: { attempts: 1 } } });
      expect(await applyDry(policy)).toContain("Warning: RetryPolicy bakery/apart will not be accepted");
      expect(await applyDry(inNamespace(policy))).toBe("");
    });

    test("a controller that accepts connections and does not respond: a request waits for its timeout, then failurePolicy decides; namespaces are deleted", async () => {
      await kubectl("create namespace waiting");
      await applyAll(retry("inside", "waiting", "HTTPRoute", "absent", { defaults: { retry: { attempts: 1 } } }));
      const policy = retry("late", "bakery", "HTTPRoute", "r1", { defaults: { retry: { attempts: 1 } } });
      const silent = await startSilentServer();
      rig.webhooks.use([silent.port]);
      try {
        // Timers of the API server and of this process may differ a little.
        const deny = await timed(() => applyDry(policy));
        expect(deny.result).toMatch(/failed calling webhook "deny.prevail.dev".*(?:deadline exceeded|timeout)/s);
        expect(deny.tookMs).toBeGreaterThan(4900);
        // Deletions of namespaces have a rule of warn only.
        const warn = await timed(() => warningsOf("delete namespace waiting --dry-run=server"));
        expect(warn.result).toBe("");
        expect(warn.tookMs).toBeGreaterThan(1900);
        await plane.kubectl(["delete", "namespace", "waiting", "--timeout=150s"]);
        await rig.install("deny");
        await until(async () => (await applyDry(policy)) === "");
      } finally {
        rig.webhooks.use(rig.webhookPorts);
        await silent.close();
      }
      await rig.install("deny", "Fail");
      await untilRefused(() => applyDry(colour("late", {})), /denied the request: Invalid/);
    });

    test("while no controller responds: deny refuses at once, warn is left out, namespaces are deleted; then all is as before", async () => {
      await kubectl("create namespace left-alone");
      await applyAll(retry("inside", "left-alone", "HTTPRoute", "absent", { defaults: { retry: { attempts: 1 } } }));
      rig.webhooks.use([]);
      await expect(applyAll(retry("down", "bakery", "HTTPRoute", "r1", { defaults: {} }))).rejects.toThrow(
        /failed calling webhook "deny/,
      );
      await plane.kubectl(["delete", "namespace", "left-alone", "--timeout=150s"]);
      await kubectl("delete validatingwebhookconfiguration prevail-deny");
      // Its copy is owned by it, and the controller has no need of it any more.
      await until(
        async () =>
          (await kubectl("get validatingwebhookconfiguration prevail-deny-found --ignore-not-found -o name")) === "",
      );
      expect(
        await applyAll(retry("down", "bakery", "HTTPRoute", "r1", { defaults: { retry: { attempts: 1 } } })),
      ).not.toContain("Warning");
      rig.webhooks.use(rig.webhookPorts);
      await untilWarned(
        "delete retrypolicy friday-fix -n infra --dry-run=server",
        "Warning: deleting RetryPolicy infra/friday-fix",
      );
      await kubectl("delete retrypolicy down -n bakery");
    });
  });

  test(
    "the authority of the certificate is replaced under load, and no call fails",
    async () => {
      await rig.install("deny", "Fail");
      await rig.untilTrusted("prevail-deny");
      const load = retry("load", "bakery", "HTTPRoute", "r1", { defaults: { retry: { attempts: 2 } } });
      const { calls, failures } = await rotateUnderLoad(rig, client, load, ROTATIONS);
      expect(failures).toEqual([]);
      expect(calls).toBeGreaterThan(20 * ROTATIONS);
    },
    180_000 + ROTATIONS * 60_000,
  );
});

const GATEWAY = "gateway.networking.k8s.io";

/** What it resolves to, or the message of its failure, and how long that took. */
async function timed(act: () => Promise<string>): Promise<{ readonly result: string; readonly tookMs: number }> {
  const began = performance.now();
  const result = await act().catch(String);
  return { result, tookMs: performance.now() - began };
}

/** Accepts connections, and never sends a byte: a process that was stopped. */
async function startSilentServer(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on("error", () => undefined).resume());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

const crds: readonly JsonObject[] = [
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "colours.policies.example.com", labels: { "gateway.networking.k8s.io/policy": "Inherited" } },
    spec: {
      group: "policies.example.com",
      names: { kind: "Colour", plural: "colours", singular: "colour", listKind: "ColourList" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    targetRef: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                    defaults: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
];

const colour = (name: string, spec: JsonObject, finalizers: readonly string[] = []): JsonObject => ({
  apiVersion: "policies.example.com/v1",
  kind: "Colour",
  metadata: { name, namespace: "bakery", finalizers },
  spec: { defaults: { colour: name }, ...spec },
});

const retry = (name: string, namespace: string, kind: string, target: string, spec: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name, namespace },
  spec: { targetRefs: [{ group: GATEWAY, kind, name: target }], ...spec },
});

const gateway: JsonObject = {
  apiVersion: `${GATEWAY}/v1`,
  kind: "Gateway",
  metadata: { name: "prod", namespace: "infra" },
  spec: {
    gatewayClassName: "prevail",
    listeners: [{ name: "http", port: 80, protocol: "HTTP", allowedRoutes: { namespaces: { from: "All" } } }],
  },
};

/** `other`: a Gateway without a policy. */
const httpRoute = (name: string, parent: string): JsonObject => ({
  apiVersion: `${GATEWAY}/v1`,
  kind: "HTTPRoute",
  metadata: { name, namespace: "bakery" },
  spec: {
    parentRefs: [parent === "prod" || parent === "other" ? { name: parent, namespace: "infra" } : { name: parent }],
    rules: [{ backendRefs: [{ name: "oven", port: 80 }] }],
  },
});

const rule = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "CoverageRule",
  metadata: { name },
  spec: {
    targets: { levels: ["HTTPRoute"] },
    policyKind: "RetryPolicy",
    condition: "has(spec.retry.attempts)",
    ...spec,
  },
});

const definition = (level: string): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "shades.example.com" },
  spec: {
    policies: [{ group: "example.com", kind: "Shade" }],
    class: "Inherited",
    targeting: { kinds: [{ group: GATEWAY, kind: "Gateway" }] },
    hierarchy: { effectiveTargets: [level] },
  },
});

const namespaceObject = (name: string): JsonObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

const cluster: readonly JsonObject[] = [
  namespaceObject("infra"),
  namespaceObject("bakery"),
  {
    apiVersion: `${GATEWAY}/v1`,
    kind: "GatewayClass",
    metadata: { name: "prevail" },
    spec: { controllerName: "prevail.dev/gateway-controller" },
  },
  gateway,
  { ...gateway, metadata: { name: "other", namespace: "infra" } },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "oven", namespace: "bakery" },
    spec: { ports: [{ port: 80 }] },
  },
  httpRoute("r1", "prod"),
  httpRoute("r2", "prod"),
  retry("friday-fix", "infra", "Gateway", "prod", { overrides: { retry: { attempts: 5 } } }),
];
