/** A program for the rig: the chart is installed with helm in the mode gateway, and the controller runs with the arguments and the rights that it renders. It prints what it saw as JSON. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeAuthority, signCertificate } from "../../src/adapters/certificates/make-certificates.ts";
import { createAuditLog } from "../support/kubernetes/audit-log.ts";
import { kubeconfigText } from "../support/kubernetes/control-plane.ts";
import { CHART, renderChart, runHelm, valueArgs } from "../support/kubernetes/helm.ts";
import {
  controllerArgs,
  controllerRights,
  formatRight,
  type Right,
  usesRight,
} from "../support/kubernetes/rendered-chart.ts";
import type { RequestEvent } from "../support/kubernetes/request-log.ts";
import { until } from "../support/kubernetes/until.ts";
import { untilServed, VIEW_NAMESPACE } from "../support/kubernetes/view-replica.ts";
import { findRigParts } from "../support/rig/find-rig-parts.ts";
import { NODE_ADDRESS } from "../support/rig/rig-network.ts";
import { type RigProcess, startRig } from "../support/rig/start-rig.ts";

const [helm = "", testName = ""] = process.argv.slice(2);
const GATEWAY_API = "gateway.networking.k8s.io/v1";
const CONTROLLER = `system:serviceaccount:${VIEW_NAMESPACE}:prevail-controller`;
/** The view API and xDS are on the node: no Pod runs the controller here, and ClusterIPs lead nowhere. */
const values = {
  mode: "gateway",
  "gateway.envoyImage": "envoyproxy/envoy:test",
  "gateway.privilegedPorts": "bind",
  extraArgs: [`--xds-endpoint=${NODE_ADDRESS}:18000`],
};

// Where the API server has no `sendInitialEvents`, the first state is listed, so that the rights to lists are used, too.
const flags = ["--feature-gates=WatchList=false"];
const rig = await startRig(findRigParts(), { audit: createAuditLog(), flags });
const kubectl = (line: string, input?: string): Promise<string> => rig.plane.kubectl(line.split(" "), input);
const apply = (...items: readonly object[]): Promise<string> =>
  kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
/** The controller may read certificates of one namespace only. */
const limitedValues = { ...values, "gateway.certificateNamespaces": ["default"] };
const rendered = await renderChart(helm, values);
const limited = await renderChart(helm, limitedValues);
let controller: RigProcess | undefined;

const metadata = (name: string) => ({ name, namespace: "default" });
const service = (name: string) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: metadata(name),
  spec: { selector: { app: "echo" }, ports: [{ port: 8080, targetPort: 3000 }] },
});
const podInfo = ["name", "namespace"].map((field) => ({
  name: field === "name" ? "POD_NAME" : "NAMESPACE",
  valueFrom: { fieldRef: { fieldPath: `metadata.${field}` } },
}));
const echo = { name: "echo", image: "registry.example/echo-basic:test", env: podInfo };
const backend = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...metadata("echo"), labels: { app: "echo" } },
  spec: { containers: [echo] },
};
const gatewayClass = {
  apiVersion: GATEWAY_API,
  kind: "GatewayClass",
  metadata: { name: "prevail" },
  spec: { controllerName: "prevail.dev/gateway" },
};
/** Two replicas have a PodDisruptionBudget. */
const parameters = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "GatewayParameters",
  metadata: metadata("two"),
  spec: { replicas: 2 },
};
const gateway = {
  apiVersion: GATEWAY_API,
  kind: "Gateway",
  metadata: metadata("door"),
  spec: {
    gatewayClassName: "prevail",
    infrastructure: { parametersRef: { group: "prevail.dev", kind: "GatewayParameters", name: "two" } },
    listeners: [
      { name: "http", port: 80, protocol: "HTTP" },
      { name: "https", port: 443, protocol: "HTTPS", tls: { certificateRefs: [{ name: "door" }] } },
    ],
  },
};
const route = {
  apiVersion: GATEWAY_API,
  kind: "HTTPRoute",
  metadata: metadata("echo"),
  spec: {
    parentRefs: [{ name: "door" }],
    rules: [
      { backendRefs: [{ name: "echo", port: 8080 }] },
      { matches: [{ path: { value: "/secure" } }], backendRefs: [{ name: "secure", port: 8080 }] },
    ],
  },
};
const backendTls = {
  apiVersion: GATEWAY_API,
  kind: "BackendTLSPolicy",
  metadata: metadata("secure"),
  spec: {
    targetRefs: [{ group: "", kind: "Service", name: "secure" }],
    validation: { hostname: "secure.example", caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "secure" }] },
  },
};

/** A Secret for xDS without a certificate, as an administrator may leave it. */
const emptySecret = {
  apiVersion: "v1",
  kind: "Secret",
  type: "kubernetes.io/tls",
  metadata: { name: "prevail-xds", namespace: VIEW_NAMESPACE },
  data: { "tls.crt": "", "tls.key": "", "ca.crt": "", "ca.key": "" },
};
/** The Lease of a replica that was killed. */
const staleLease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: {
    name: "prevail-controller-envoys-0",
    namespace: VIEW_NAMESPACE,
    labels: { "prevail.dev/envoys-of": "prevail-controller" },
  },
  spec: { leaseDurationSeconds: 1 },
};

/** A certificate of the listener, and the authority of a backend. */
async function certificates(): Promise<readonly object[]> {
  const validity = { nowMs: Date.now(), days: 1 };
  const authority = await makeAuthority({ commonName: "test", ...validity });
  const { certificate, privateKey } = await signCertificate(authority, {
    commonName: "door.example",
    dnsNames: ["door.example"],
    usage: "Server",
    ...validity,
  });
  const stringData = { "tls.crt": certificate, "tls.key": privateKey };
  return [
    { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata: metadata("door"), stringData },
    { apiVersion: "v1", kind: "ConfigMap", metadata: metadata("secure"), data: { "ca.crt": authority.certificate } },
  ];
}

const helmIn = (command: string, set: Readonly<Record<string, unknown>>, ...more: readonly string[]): Promise<string> =>
  runHelm(helm, [command, "prevail", CHART, "--namespace", VIEW_NAMESPACE, ...more, ...valueArgs(set)], rig.plane);

async function install(): Promise<void> {
  await kubectl(`create namespace ${VIEW_NAMESPACE}`);
  await kubectl(`label namespace ${VIEW_NAMESPACE} pod-security.kubernetes.io/enforce=restricted`);
  // The API server of the tests has the CRDs of deploy/crds, so the chart takes them over.
  await helmIn("install", values, "--take-ownership");
  const patch = JSON.stringify({ spec: { selector: null } });
  await kubectl(`patch service prevail-view -n ${VIEW_NAMESPACE} --type=merge -p ${patch}`);
  const labels = { "kubernetes.io/service-name": "prevail-view" };
  await apply({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "node", namespace: VIEW_NAMESPACE, labels },
    addressType: "IPv4",
    endpoints: [{ addresses: [NODE_ADDRESS], conditions: { ready: true } }],
    ports: [{ name: "https", port: 8443 }],
  });
}

async function startInstalled(chart: string): Promise<RigProcess> {
  const token = (await kubectl(`create token prevail-controller -n ${VIEW_NAMESPACE}`)).trim();
  const kubeconfig = join(rig.folder, "controller.kubeconfig");
  writeFileSync(kubeconfig, kubeconfigText({ ...rig.plane, token, namespace: VIEW_NAMESPACE }));
  const args = [...controllerArgs(chart), `--kubeconfig=${kubeconfig}`];
  return rig.start("controller", process.execPath, ["dist/bin/prevail.js", ...args]);
}

const KINDS = "deployments,services,configmaps,serviceaccounts,poddisruptionbudgets,secrets";
/** The kinds of the objects that the controller made for the Gateway. */
const built = async (): Promise<readonly string[]> => {
  const command = `get ${KINDS} -n ${VIEW_NAMESPACE} -l prevail.dev/infrastructure -o`;
  return [...new Set((await kubectl(`${command} jsonpath={.items[*].kind}`)).split(" ").filter(Boolean))].sort();
};
const ask = async (path: string): Promise<number> => {
  const address = await kubectl("get gateway door -o jsonpath={.status.addresses[*].value}");
  const response = await fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(5000) });
  await response.arrayBuffer();
  return response.status;
};
const programmed = (): Promise<string> =>
  kubectl(`get gateway door -o jsonpath={.status.conditions[?(@.type=="Programmed")].status}`);
const hasPolicyStatus = async (): Promise<boolean> =>
  (await kubectl("get backendtlspolicy secure -o jsonpath={.status.ancestors}")).includes("prevail.dev/gateway");

const end = (running: RigProcess): Promise<number | null> => {
  running.child.kill("SIGTERM");
  return running.ended;
};
const requests = (): readonly RequestEvent[] => rig.audit.read().filter(({ user }) => user.username === CONTROLLER);
/** The rights of which the chart says that this test uses them. */
const rightsOf = (chart: string): readonly Right[] => controllerRights(chart).filter(({ test }) => test === testName);
const unusedOf = (rights: readonly Right[], events: readonly RequestEvent[]): readonly string[] =>
  rights.filter((right) => !events.some((event) => usesRight(event, right))).map(formatRight);

async function run(): Promise<object> {
  await install();
  await apply(emptySecret, staleLease);
  controller = await startInstalled(rendered);
  await untilServed(rig.plane);
  await apply(backend, service("echo"), service("secure"), ...(await certificates()));
  await apply(gatewayClass, parameters, gateway, route, backendTls);
  await until(
    async () => (await programmed()) === "True" && (await ask("/")) === 200,
    () => "the Gateway serves ",
    200,
  );
  let finalizers = "";
  await until(
    async () => {
      finalizers = await kubectl("get gatewayclass prevail -o jsonpath={.metadata.finalizers[*]}");
      return finalizers !== "";
    },
    () => "the GatewayClass has a finalizer ",
  );
  const kinds = await built();
  // Another writer removes the status of a BackendTLSPolicy.
  await until(hasPolicyStatus);
  const none = JSON.stringify({ status: { ancestors: [] } });
  await kubectl(`patch backendtlspolicy secure --subresource=status --type=merge -p ${none}`);
  await until(hasPolicyStatus, () => "the status of the BackendTLSPolicy again ");
  await until(
    async () => !(await kubectl(`get leases -n ${VIEW_NAMESPACE} -o name`)).includes(staleLease.metadata.name),
    () => "the Lease is deleted ",
  );
  const exitCodes = [await end(controller)];
  await helmIn("upgrade", limitedValues);
  const began = requests().length;
  controller = await startInstalled(limited);
  const limitedRights = rightsOf(limited).filter(({ role }) => role === "prevail-controller-certificates");
  await until(
    () => unusedOf(limitedRights, requests().slice(began)).length === 0,
    () => `not used: ${unusedOf(limitedRights, requests().slice(began)).join()} `,
    200,
  );
  await kubectl("delete gateway door");
  await until(
    async () => (await built()).length === 0,
    () => "the objects are gone ",
  );
  await kubectl("delete gatewayclass prevail");
  exitCodes.push(await end(controller));
  const rights = rightsOf(rendered);
  const forbidden = requests().filter(({ responseStatus }) => responseStatus?.code === 403);
  return {
    finalizers,
    kinds,
    exitCodes,
    forbidden: forbidden.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
    hasRights: [rights.length > 40, limitedRights.length],
    unused: unusedOf(rights, requests()),
  };
}

const result = await run().catch((error: unknown) => ({ error: String(error), log: controller?.log().slice(-4000) }));
console.log(JSON.stringify(result));
process.exit(0);
