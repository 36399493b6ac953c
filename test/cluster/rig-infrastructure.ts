/** A program for the rig: the controller runs the Envoys of Gateways, and a client sends requests while they change. It prints what it saw as JSON. */
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { infrastructureName } from "../../src/core/infrastructure/object-names.ts";
import { kubeconfigText } from "../support/kubernetes/control-plane.ts";
import { until } from "../support/kubernetes/until.ts";
import { findRigParts } from "../support/rig/find-rig-parts.ts";
import { NODE_ADDRESS } from "../support/rig/rig-network.ts";
import { type RigProcess, startRig } from "../support/rig/start-rig.ts";

const SYSTEM = "prevail-system";
const GATEWAY_API = "gateway.networking.k8s.io/v1";
const PREVAIL = "prevail.dev/v1alpha1";

const rig = await startRig(findRigParts());
const kubectl = (...args: readonly string[]): Promise<string> => rig.plane.kubectl(args);
const apply = (...objects: readonly object[]): Promise<string> =>
  rig.plane.kubectl(["apply", "-f", "-"], objects.map((object) => JSON.stringify(object)).join("\n---\n"));
const read = (kind: string, path: string, ...args: readonly string[]): Promise<string> =>
  kubectl("get", kind, "-o", `jsonpath=${path}`, ...args);

const metadata = (name: string) => ({ name, namespace: "default" });

const gateway = (name: string, ports: readonly number[], infrastructure: object = {}) => ({
  apiVersion: GATEWAY_API,
  kind: "Gateway",
  metadata: metadata(name),
  spec: {
    gatewayClassName: "prevail",
    infrastructure: { labels: { team: "bakery" }, annotations: { note: "fresh" }, ...infrastructure },
    listeners: ports.map((port) => ({ name: `http-${port}`, port, protocol: "HTTP" })),
  },
});
const parametersRef = (name: string) => ({ parametersRef: { group: "prevail.dev", kind: "GatewayParameters", name } });
const parameters = (name: string, spec: object) => ({
  apiVersion: PREVAIL,
  kind: "GatewayParameters",
  metadata: metadata(name),
  spec,
});

const backend = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadata("echo"),
    spec: {
      selector: { matchLabels: { app: "echo" } },
      template: {
        metadata: { labels: { app: "echo" } },
        spec: {
          containers: [
            {
              name: "echo",
              image: "registry.example/echo-basic:test",
              env: ["name", "namespace"].map((field) => ({
                name: field === "name" ? "POD_NAME" : "NAMESPACE",
                valueFrom: { fieldRef: { fieldPath: `metadata.${field}` } },
              })),
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata("echo"),
    spec: { selector: { app: "echo" }, ports: [{ port: 8080, targetPort: 3000 }] },
  },
  {
    apiVersion: GATEWAY_API,
    kind: "HTTPRoute",
    metadata: metadata("echo"),
    spec: {
      parentRefs: [{ name: "door" }, { name: "gate" }],
      rules: [{ backendRefs: [{ name: "echo", port: 8080 }] }],
    },
  },
];

let starts = 0;
let token = "";

/** The rights that the chart gives the controller, and no others. */
async function applyRights(): Promise<void> {
  const documents = readFileSync("deploy/manifests/gateway.yaml", "utf8").split(/^---$/m);
  const isAboutRights = /^kind: (?:ServiceAccount|(?:Cluster)?Role(?:Binding)?)$/m;
  await rig.plane.kubectl(["apply", "-f", "-"], documents.filter((text) => isAboutRights.test(text)).join("\n---\n"));
  token = (await kubectl("create", "token", "prevail-controller", "-n", SYSTEM)).trim();
}

function startController(): RigProcess {
  const kubeconfig = join(rig.folder, "controller.kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText({ ...rig.plane, token, namespace: SYSTEM }));
  return rig.start(`controller-${++starts}`, process.execPath, [
    "dist/bin/prevail.js",
    "controller",
    `--kubeconfig=${kubeconfig}`,
    "--xds=0.0.0.0:18000",
    "--envoy-image=envoyproxy/envoy:test",
    `--xds-endpoint=${NODE_ADDRESS}:18000`,
    "--privileged-ports=bind",
    "--listen=off",
    "--admin=127.0.0.1:18001",
    `--service=${SYSTEM}/prevail-view`,
  ]);
}

let controller: RigProcess;

/** The condition Programmed of a Gateway: its status and reason, and its message. */
const programmed = async (name: string): Promise<readonly string[]> => {
  const path = `{range .status.conditions[?(@.type=="Programmed")]}{.status}/{.reason}|{.message}{end}`;
  return (await read(`gateway/${name}`, path)).split("|");
};
const untilProgrammed = (name: string, expected = "True/Programmed"): Promise<void> =>
  until(
    async () => (await programmed(name))[0] === expected,
    () => `Gateway ${name} is not ${expected}: ${controller.log().slice(-3000)}`,
    200,
  );
const addressOf = (name: string): Promise<string> => read(`gateway/${name}`, "{.status.addresses[*].value}");
const podsOf = async (name: string): Promise<readonly string[]> =>
  (
    await read(
      "pods",
      "{.items[*].metadata.name}",
      "-n",
      SYSTEM,
      "-l",
      `gateway.networking.k8s.io/gateway-name=${name}`,
    )
  )
    .split(" ")
    .filter((pod) => pod !== "");
const deploymentsReady = (replicas: number): Promise<void> =>
  until(async () => {
    const path = "{range .items[*]}{.status.readyReplicas}/{.status.updatedReplicas}/{.status.replicas} {end}";
    const found = await read("deployments", path, "-n", SYSTEM, "-l", "gateway.networking.k8s.io/gateway-name=door");
    return found.trim() === `${replicas}/${replicas}/${replicas}`;
  });

const ask = (address: string, port = 80): Promise<number | string> =>
  fetch(`http://${address}:${port}/`, { signal: AbortSignal.timeout(5000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    (error: unknown) => String(error),
  );

/** A request that takes a time, on a connection of its own: another Pod may have had the address before. */
const askSlowly = (address: string, delay: string): Promise<number | string> =>
  new Promise((resolve) => {
    const asked = get({ host: address, path: `/?delay=${delay}`, agent: false, timeout: 10_000 }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    asked.on("timeout", () => asked.destroy(new Error("timeout")));
    asked.on("error", (error) => resolve(String(error)));
  });

/** Sends requests to the address that the Gateway has, as clients do that follow its name, until it is stopped. */
class Client {
  readonly failures: string[] = [];
  sent = 0;
  during = "start";
  #isOver = false;
  #address = "";
  readonly #done: Promise<unknown>;

  constructor(name: string) {
    this.#done = Promise.all([this.#follow(name), this.#send()]);
  }

  async #follow(name: string): Promise<void> {
    while (!this.#isOver) {
      this.#address = await addressOf(name);
      await sleep(50);
    }
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      if (this.#address !== "") {
        const result = await ask(this.#address);
        this.sent++;
        if (result !== 200) this.failures.push(`${this.during}: ${String(result)}`);
      }
      await sleep(5);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
  }
}

/** Objects of the controller's own that it wrote, except status. */
const writes = (): readonly string[] =>
  rig.audit
    .writes()
    .filter(({ resource }) =>
      /^(?:deployments|services|secrets|configmaps|serviceaccounts|poddisruptionbudgets)$/.test(resource),
    )
    .map(({ resource }) => resource);

async function run(): Promise<object> {
  await kubectl("create", "namespace", SYSTEM);
  await kubectl("label", "namespace", SYSTEM, "pod-security.kubernetes.io/enforce=restricted");
  const gatewayClass = { apiVersion: GATEWAY_API, kind: "GatewayClass", metadata: { name: "prevail" } };
  await apply({ ...gatewayClass, spec: { controllerName: "prevail.dev/gateway" } }, ...backend);
  await apply(
    { ...gatewayClass, metadata: { name: "foreign" }, spec: { controllerName: "example.com/gateway" } },
    { ...gateway("foreign", [80]), spec: { ...gateway("foreign", [80]).spec, gatewayClassName: "foreign" } },
  );
  await applyRights();
  controller = startController();
  const small = { resources: { limits: { cpu: "1" } }, drainTimeout: "3s" };
  await apply(parameters("small", { replicas: 1, ...small }), gateway("door", [80], parametersRef("small")));
  await untilProgrammed("door");
  await until(async () => (await ask(await addressOf("door"))) === 200);

  const [settled, first] = [writes().length, await podsOf("door")];
  await sleep(3000);
  const idle = writes().slice(settled);
  const labels = await read(
    "pods",
    "{.items[0].metadata.labels.team} {.items[0].metadata.annotations.note}",
    "-n",
    SYSTEM,
  );

  const client = new Client("door");
  client.during = "a listener is added";
  await apply(gateway("door", [80, 8080], parametersRef("small")));
  await until(async () => (await ask(await addressOf("door"), 8080)) === 200);
  const samePods = (await podsOf("door")).join() === first.join();

  client.during = "replicas are added";
  await apply(parameters("small", { replicas: 2, ...small }));
  await deploymentsReady(2);
  const budget = await read("poddisruptionbudgets", "{.items[*].spec.maxUnavailable}", "-n", SYSTEM);

  client.during = "Pods are replaced";
  await apply(parameters("small", { replicas: 2, ...small, resources: { limits: { cpu: "2" } } }));
  await until(async () => !(await podsOf("door")).some((pod) => first.includes(pod)), undefined, 200);
  await deploymentsReady(2);

  client.during = "the certificate is replaced";
  const secret = ["-n", SYSTEM, "-l", "gateway.networking.k8s.io/gateway-name=door"];
  const certificate = (): Promise<string> => read("secrets", String.raw`{.items[0].data.tls\.crt}`, ...secret);
  const before = await certificate();
  await kubectl("delete", "secrets", ...secret);
  await until(async () => ![before, ""].includes(await certificate().catch(() => "")));
  await sleep(1000);

  client.during = "the controller is killed";
  controller.child.kill("SIGKILL");
  await controller.ended;
  await apply(gateway("door", [80], parametersRef("small")));
  controller = startController();
  // Envoys that connect again do so with the new certificate.
  await until(async () => typeof (await ask(await addressOf("door"), 8080)) === "string", undefined, 200);
  await untilProgrammed("door");

  client.during = "parameters are invalid";
  await apply(gateway("door", [80], parametersRef("none")));
  const accepted = `{range .status.conditions[?(@.type=="Accepted")]}{.status}/{.reason}{end}`;
  await until(async () => (await read("gateway/door", accepted)) === "False/InvalidParameters");
  await sleep(1000);
  const kept = (await podsOf("door")).length;
  const { sent, failures } = client;
  await apply(gateway("door", [80], parametersRef("small")));
  await untilProgrammed("door");
  await client.stop();

  // A Gateway that cannot be built says why, and another one is built.
  const taken = { name: infrastructureName({ namespace: "default", name: "gate" }), namespace: SYSTEM };
  await apply(
    { apiVersion: "v1", kind: "Service", metadata: taken, spec: { ports: [{ port: 1 }] } },
    gateway("gate", [80]),
  );
  await until(async () => /exists and is not an object of the Gateway/.test((await programmed("gate"))[1] ?? ""));
  const whileTaken = [(await programmed("gate"))[0], (await programmed("door"))[0]];
  await kubectl("delete", "service", taken.name, "-n", SYSTEM);
  await untilProgrammed("gate");
  await until(async () => (await ask(await addressOf("gate"))) === 200);

  // Requests that are under way when their Pod is removed, and when their Gateway is. Pods of the rig end 3 s after their deletion.
  const [ending = ""] = await podsOf("gate");
  const throughPod = askSlowly(await addressOf("gate"), "2s");
  await sleep(300);
  await kubectl("delete", "pod", ending, "-n", SYSTEM, "--wait=false");
  const underWay = [await throughPod];
  await until(async () => !(await podsOf("gate")).includes(ending) && (await ask(await addressOf("gate"))) === 200);

  // A class in use stays, and its Gateways are served: longer than what a Gateway that is gone keeps its Envoys.
  const finalizersOf = (name: string): Promise<string> => read(`gatewayclass/${name}`, "{.metadata.finalizers[*]}");
  const finalizers = [await finalizersOf("prevail"), await finalizersOf("foreign")];
  await kubectl("delete", "gatewayclass", "prevail", "--wait=false");
  await kubectl("delete", "gateway", "door");
  await sleep(7000);
  const whileClassWaits = await ask(await addressOf("gate"));
  const throughGateway = askSlowly(await addressOf("gate"), "4s");
  await sleep(300);
  await kubectl("delete", "gateway", "gate");
  underWay.push(await throughGateway);
  await until(async () => !(await read("gatewayclasses", "{.items[*].metadata.name}")).includes("prevail"));
  const kinds = "deployments,services,configmaps,serviceaccounts,poddisruptionbudgets,secrets";
  await until(
    async () =>
      (await read(kinds, "{.items[*].metadata.name}", "-n", SYSTEM, "-l", "prevail.dev/infrastructure")) === "",
  );
  return {
    idle,
    labels,
    samePods,
    budget,
    kept,
    whileTaken,
    finalizers,
    whileClassWaits,
    underWay,
    failures,
    hasSent: sent > 100,
    forbidden: [...Array(starts).keys()].flatMap((index) =>
      readFileSync(join(rig.folder, `controller-${index + 1}.log`), "utf8")
        .split("\n")
        .filter((line) => /forbidden/i.test(line)),
    ),
  };
}

const result = await run().catch((error: unknown) => ({ error: String(error), log: controller?.log().slice(-4000) }));
console.log(JSON.stringify(result));
process.exit(0);
