/** Starts the implementation that the suite tests, beside the Pods of the rig. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { kubeconfigText } from "../support/kubernetes/control-plane.ts";
import { until } from "../support/kubernetes/until.ts";
import type { RigParts } from "../support/rig/find-rig-parts.ts";
import type { Rig } from "../support/rig/start-rig.ts";
import type { ConformanceOptions } from "./parse-conformance-args.ts";

const CLASS = "prevail";
const NAMESPACE = "prevail-system";
const XDS_PORT = 18_000;
const ENVOY_ADMIN_PORT = 19_000;
/** Each Gateway gets an address of this network, on which one Envoy listens for all of them. */
const ADDRESSES = "127.1.0.0/16";
/** For the test of static addresses: one of that network, and one that is not. */
export const ADDRESS_FLAGS = ["-usable-address=127.1.200.1", "-unusable-address=192.0.2.1"];

/** Starts the controller and its data plane, or the command of `--controller`, and returns the name of the GatewayClass. */
export async function startImplementation(rig: Rig, parts: RigParts, options: ConformanceOptions): Promise<string> {
  const { controller, gatewayClass } = options;
  if (controller === undefined || gatewayClass === undefined) return startOwn(rig, parts, options);
  const [program = "", ...args] = controller.split(" ");
  rig.start("controller", program, args, { ...process.env, KUBECONFIG: rig.plane.kubeconfig });
  return gatewayClass;
}

async function startOwn(rig: Rig, parts: RigParts, { dataplane }: ConformanceOptions): Promise<string> {
  const { plane, folder } = rig;
  await plane.kubectl(["create", "namespace", NAMESPACE]);
  await plane.kubectl(["apply", "-f", "-"], JSON.stringify(CLASS_OBJECT));
  const kubeconfig = join(folder, "controller.kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText({ ...plane, token: plane.token("admin"), namespace: NAMESPACE }));
  const controller = rig.start("controller", process.execPath, [
    "dist/bin/prevail.js",
    "controller",
    `--kubeconfig=${kubeconfig}`,
    dataplane === "envoy" ? `--xds=127.0.0.1:${XDS_PORT}` : `--dataplane=${dataplane}`,
    `--gateway-addresses=${ADDRESSES}`,
    "--listen=127.0.0.1:18443",
    "--admin=127.0.0.1:18001",
    `--service=${NAMESPACE}/prevail-view`,
  ]);
  void controller.ended.then((code) =>
    console.error(`conformance: the controller ended (${code}):\n${controller.log()}`),
  );
  if (dataplane === "envoy") startEnvoy(rig, parts);
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

const CLASS_OBJECT = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: CLASS },
  spec: { controllerName: "prevail.dev/gateway" },
};

const ENVOY = {
  nodeId: "rig",
  gateway: "*/*",
  server: { host: "127.0.0.1", port: XDS_PORT },
  tls: undefined,
  adminPort: ENVOY_ADMIN_PORT,
};
