/** Starts the implementation that the suite tests, beside the Pods of the rig. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { kubeconfigText } from "../support/kubernetes/control-plane.ts";
import { until } from "../support/kubernetes/until.ts";
import type { RigParts } from "../support/rig/find-rig-parts.ts";
import { NODE_ADDRESS } from "../support/rig/rig-network.ts";
import type { Rig } from "../support/rig/start-rig.ts";
import type { ConformanceOptions } from "./parse-conformance-args.ts";

const CLASS = "prevail";
const NAMESPACE = "prevail-system";
const XDS_PORT = 18_000;
const ENVOY_ADMIN_PORT = 19_000;
/** Each Gateway gets an address of this network, on which one Envoy listens for all of them. */
const ADDRESSES = "127.1.0.0/16";
/** For the test of static addresses: one that Gateways can have, and one that is not. The load balancer of the rig assigns the addresses of 10.244.200.0/24. */
export const addressFlags = ({ dataplane, sharesEnvoy }: ConformanceOptions): readonly string[] => [
  `-usable-address=${dataplane === "embedded" || sharesEnvoy ? "127.1.200.1" : "10.244.200.1"}`,
  "-unusable-address=192.0.2.1",
];

/** Starts the controller and its data plane, or the command of `--controller`, and returns the name of the GatewayClass. */
export async function startImplementation(rig: Rig, parts: RigParts, options: ConformanceOptions): Promise<string> {
  const { controller, gatewayClass } = options;
  if (controller === undefined || gatewayClass === undefined) return startOwn(rig, parts, options);
  const [program = "", ...args] = controller.split(" ");
  rig.start("controller", program, args, { ...process.env, KUBECONFIG: rig.plane.kubeconfig });
  return gatewayClass;
}

async function startOwn(rig: Rig, parts: RigParts, { dataplane, sharesEnvoy }: ConformanceOptions): Promise<string> {
  const { plane, folder } = rig;
  const { objects, flags } = dataplane === "embedded" ? EMBEDDED : sharesEnvoy ? SHARED : RUN;
  await plane.kubectl(["create", "namespace", NAMESPACE]);
  await plane.kubectl(["label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted"]);
  await plane.kubectl(["apply", "-f", "-"], objects.map((object) => JSON.stringify(object)).join("\n---\n"));
  const kubeconfig = join(folder, "controller.kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText({ ...plane, token: plane.token("admin"), namespace: NAMESPACE }));
  const controller = rig.start("controller", process.execPath, [
    "dist/bin/prevail.js",
    "controller",
    `--kubeconfig=${kubeconfig}`,
    ...flags,
    "--listen=127.0.0.1:18443",
    "--admin=127.0.0.1:18001",
    `--service=${NAMESPACE}/prevail-view`,
  ]);
  void controller.ended.then((code) =>
    console.error(`conformance: the controller ended (${code}):\n${controller.log()}`),
  );
  if (dataplane === "envoy" && sharesEnvoy) startEnvoy(rig, parts);
  await until(
    async () => {
      const path = `jsonpath={.status.conditions[?(@.type=="Accepted")].status}`;
      return (await plane.kubectl(["get", "gatewayclass", CLASS, "-o", path])) === "True";
    },
    () => `GatewayClass ${CLASS} is not Accepted: ${controller.log().slice(-2000)}`,
    200,
  );
  return CLASS;
}

function startEnvoy(rig: Rig, { envoy }: RigParts): void {
  const bootstrap = join(rig.folder, "envoy.json");
  writeFileSync(bootstrap, JSON.stringify(bootstrapJson(compileBootstrap(ENVOY))));
  const args = ["-c", bootstrap, "-l", "warn", "--disable-hot-restart", "--concurrency", "2"];
  const running = rig.start("envoy", envoy, args, { ...process.env, EVENT_PRECISE_TIMER: "1" });
  void running.ended.then((code) =>
    console.error(`conformance: Envoy ended (${code}):\n${running.log().slice(-4000)}`),
  );
}

const classObject = (more: object = {}) => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: CLASS },
  spec: { controllerName: "prevail.dev/gateway", ...more },
});

/** How the controller is started, and the GatewayClass with what it refers to. */
interface Mode {
  readonly objects: readonly object[];
  readonly flags: readonly string[];
}

const EMBEDDED: Mode = {
  objects: [classObject()],
  flags: ["--dataplane=embedded", `--gateway-addresses=${ADDRESSES}`],
};

const SHARED: Mode = {
  objects: [classObject()],
  flags: [`--xds=127.0.0.1:${XDS_PORT}`, `--gateway-addresses=${ADDRESSES}`],
};

/** The address of a Service in the rig is that of its Pod, so Pods open the ports of listeners as they are. */
const RUN: Mode = {
  objects: [
    {
      apiVersion: "prevail.dev/v1alpha1",
      kind: "GatewayParameters",
      metadata: { name: CLASS, namespace: NAMESPACE },
      spec: { replicas: 1, resources: { limits: { cpu: "1" } }, drainTimeout: "0s" },
    },
    classObject({
      parametersRef: { group: "prevail.dev", kind: "GatewayParameters", name: CLASS, namespace: NAMESPACE },
    }),
  ],
  flags: [
    `--xds=0.0.0.0:${XDS_PORT}`,
    "--envoy-image=envoyproxy/envoy:distroless",
    `--xds-endpoint=${NODE_ADDRESS}:${XDS_PORT}`,
    "--privileged-ports=bind",
  ],
};

const ENVOY = {
  nodeId: "rig",
  gateway: "*/*",
  server: { host: "127.0.0.1", port: XDS_PORT },
  tls: undefined,
  adminPort: ENVOY_ADMIN_PORT,
};
