/**
 * Edits of routes, endpoints, policies and certificates under traffic, while the controller is killed, the API server is killed, and the stream of Envoy is cut: every request
 * is served, and in the end Envoy and the status have what a controller that has just started gives them.
 *
 * PREVAIL_CHAOS=10000 is the whole proof: so many edits, a kill of the controller for 500 of them, one of the API server for 1,000, and a cut for 200. PREVAIL_SEED repeats a run.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CertifiedKey } from "../../src/adapters/certificates/make-certificates.ts";
import { makeAuthority, signCertificate } from "../../src/adapters/certificates/make-certificates.ts";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { findEnvoy, type RunningEnvoy, startEnvoy } from "../support/gateway/envoy.ts";
import { findFreePorts, findServerPort } from "../support/gateway/find-free-ports.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { ownAddress } from "../support/kubernetes/own-address.ts";
import {
  REPORT_NAMESPACE,
  type ReportProgram,
  startReportProgram,
  untilReported,
} from "../support/kubernetes/report-replica.ts";
import { startTcpRelay, type TcpRelay } from "../support/kubernetes/tcp-relay.ts";
import { CLUSTER_START, until } from "../support/kubernetes/until.ts";
import { type ChaosCluster, ChaosEdits, HOST_NAMES } from "./chaos-edits.ts";
import { startTraffic } from "./chaos-traffic.ts";
import { envoyState } from "./envoy-state.ts";
import { applyAll, namespaceObject, type WrittenObject } from "./status-objects.ts";

const parts = await findKubernetes();
const envoyPath = findEnvoy();
const EDITS = Number(process.env["PREVAIL_CHAOS"] ?? 300);
const SEED = Number(process.env["PREVAIL_SEED"] ?? Date.now() % 1_000_000);
/** At least two of each. */
const TIMES = {
  controller: Math.max(2, Math.round(EDITS / 500)),
  apiServer: Math.max(2, Math.round(EDITS / 1000)),
  stream: Math.max(2, Math.round(EDITS / 200)),
};
const POOL = "127.91.8.0/28";
const ADDRESS = "127.91.8.1";
const [PORT = 0, TLS_PORT = 0] = await findFreePorts(2);
const USER = "controller";
const LEASE = ["--lease-duration", "3s", "--lease-renew-deadline", "2s", "--lease-retry", "500ms"];

describe.skipIf(parts === undefined || envoyPath === undefined || ownAddress === undefined)("chaos", () => {
  let plane: ControlPlane;
  let client: KubeClient;
  let cluster: ChaosCluster;
  let authority: CertifiedKey;
  let controller: ReportProgram;
  let xdsPort = 0;
  let relay: TcpRelay;
  const envoys: RunningEnvoy[] = [];

  const startController = (port: number): Promise<ReportProgram> =>
    startReportProgram(plane, USER, [...LEASE, "--xds", `127.0.0.1:${port}`, "--gateway-addresses", POOL]);
  const startEnvoyAt = async (port: number): Promise<RunningEnvoy> => {
    const [adminPort = 0] = await findFreePorts(1);
    const server = { host: "127.0.0.1", port };
    const bootstrap = compileBootstrap({
      nodeId: `envoy-${envoys.length}`,
      gateway: "*/*",
      server,
      tls: undefined,
      adminPort,
    });
    const envoy = await startEnvoy(envoyPath ?? "", bootstrapJson(bootstrap), adminPort);
    envoys.push(envoy);
    return envoy;
  };
  const killController = async (): Promise<void> => {
    controller.child.kill("SIGKILL");
    await controller.ended;
    controller = await startController(xdsPort);
  };

  beforeAll(async () => {
    if (parts === undefined || envoyPath === undefined || ownAddress === undefined) return;
    plane = await startControlPlane(parts, { frontProxy: true, users: { [USER]: ["system:masters"] } });
    client = await clientAs(plane);
    authority = await makeAuthority({ commonName: "chaos", nowMs: Date.now(), days: 2 });
    const certificates = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        signCertificate(authority, {
          commonName: `number ${index}`,
          dnsNames: HOST_NAMES,
          usage: "Server",
          nowMs: Date.now(),
          days: 2,
        }),
      ),
    );
    cluster = { client, address: ownAddress, ports: { http: PORT, https: TLS_PORT }, certificates };
    await applyAll(plane, [namespaceObject(REPORT_NAMESPACE)]);
    xdsPort = await findServerPort();
    relay = await startTcpRelay({ host: "127.0.0.1", port: xdsPort });
  }, CLUSTER_START);
  afterAll(async () => {
    for (const envoy of envoys) await envoy.close();
    if (controller !== undefined) {
      controller.child.kill("SIGKILL");
      await controller.ended;
    }
    await relay?.close();
    client?.close();
    await plane?.close();
  });

  const listOf = async (plural: string): Promise<readonly WrittenObject[]> => {
    const path = `/apis/gateway.networking.k8s.io/v1/namespaces/default/${plural}`;
    return ((await client.request({ path })) as unknown as { readonly items: readonly WrittenObject[] }).items;
  };

  /** Every route is accepted and the Gateway is Programmed, as they are now. */
  const untilSettled = async (edits: ChaosEdits): Promise<void> => {
    let last = "";
    await until(
      async () => {
        const [door] = await listOf("gateways");
        const programmed = door?.status?.conditions?.find(({ type }) => type === "Programmed");
        last = JSON.stringify(door);
        if (programmed?.status !== "True" || programmed.observedGeneration !== door?.metadata.generation) return false;
        const routes = await listOf("httproutes");
        const unsettled = routes.find(({ status, metadata }) => {
          const accepted = status?.parents?.[0]?.conditions.find(({ type }) => type === "Accepted");
          return accepted?.status !== "True" || accepted.observedGeneration !== metadata.generation;
        });
        last = JSON.stringify(unsettled);
        return routes.length === edits.countRoutes() && unsettled === undefined;
      },
      () => `${last}\n${controller.text()}`,
      200,
    );
  };

  test(`${EDITS} edits, the controller killed ${TIMES.controller} times, the API server ${TIMES.apiServer}, the stream cut ${TIMES.stream} (seed ${SEED})`, {
    timeout: 300_000 + EDITS * 500,
  }, async () => {
    const edits = await ChaosEdits.start(cluster, SEED);
    controller = await startController(xdsPort);
    const envoy = await startEnvoyAt(relay.port);
    await untilSettled(edits);
    const traffic = await startTraffic({
      address: ADDRESS,
      ports: cluster.ports,
      hosts: HOST_NAMES,
      authority: authority.certificate,
    });
    const isTimeFor = (times: number, edit: number): boolean => (edit + 1) % Math.floor(EDITS / (times + 1)) === 0;
    const done = { controller: 0, apiServer: 0, stream: 0 };
    let disturbing = Promise.resolve();
    try {
      for (let edit = 0; edit < EDITS; edit++) {
        await edits.makeOne();
        // Edits go on while the controller is away; the API server has to be there.
        if (done.controller < TIMES.controller && isTimeFor(TIMES.controller, edit)) {
          done.controller++;
          disturbing = disturbing.then(killController);
        }
        if (done.apiServer < TIMES.apiServer && isTimeFor(TIMES.apiServer, edit)) {
          done.apiServer++;
          await disturbing;
          await plane.restart();
        }
        if (done.stream < TIMES.stream && isTimeFor(TIMES.stream, edit)) {
          done.stream++;
          relay.cut();
        }
      }
      await disturbing;
      await untilSettled(edits);
    } finally {
      await traffic.stop();
    }
    expect(done).toEqual(TIMES);
    expect(traffic.failures()).toEqual([]);
    expect(traffic.served()).toBeGreaterThan(EDITS);
    await untilReported(plane);
    // Envoy has what a new Envoy gets from a controller that has just started.
    const [newPort = 0] = await findFreePorts(1);
    const other = await startController(newPort);
    try {
      const rebuilt = await startEnvoyAt(newPort);
      let states: readonly unknown[] = [];
      await until(
        async () => {
          states = [await envoyState(envoy), await envoyState(rebuilt)];
          return JSON.stringify(states[0]) === JSON.stringify(states[1]);
        },
        () =>
          JSON.stringify(
            states.map((state) => JSON.stringify(state).slice(0, 3000)),
            null,
            1,
          ),
        500,
      );
      expect(states[0]).toEqual(states[1]);
      expect(JSON.stringify(states[0])).toContain("r0.example");
    } finally {
      other.child.kill("SIGKILL");
      await other.ended;
    }
  });
});
