/**
 * Two replicas that serve Envoys: the one that writes the status knows what the Envoys of the other acknowledge and refuse
 * Gateway API, "GatewayConditionProgrammed"
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { followKind } from "../../src/adapters/cluster/follow/kind-follower.ts";
import { type JsonObject, objectAt, objectsIn } from "../../src/core/model/json.ts";
import { bootstrapJson } from "../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../src/xds/compile/compile-bootstrap.ts";
import { gateway, gatewayClass, listener, route, service } from "../support/cluster/gateway-objects.ts";
import { findEnvoy, type RunningEnvoy, startEnvoy } from "../support/gateway/envoy.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import {
  findLeader,
  REPORT_NAMESPACE,
  type ReportProgram,
  startReportProgram,
} from "../support/kubernetes/report-replica.ts";
import { createRequestLog, type RequestLog } from "../support/kubernetes/request-log.ts";
import { CLUSTER_START, CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import { applyAll, getWritten, namespaceObject } from "./status-objects.ts";

const parts = await findKubernetes();
const envoyPath = findEnvoy();
const LEASE_SECONDS = 3;
const LEASE = ["--lease-duration", `${LEASE_SECONDS}s`, "--lease-renew-deadline", "2s", "--lease-retry", "500ms"];
const POOL = "127.91.9.0/28";
const [PORT = 0, TCP_PORT = 0] = await findFreePorts(2);
const TCP_PROXY = "envoy.filters.network/envoy.filters.network.tcp_proxy";
const USERS = ["replica-a", "replica-b"];

interface Replica {
  readonly user: string;
  readonly xdsPort: number;
  program: ReportProgram;
}

const http = listener("http", { port: PORT });
const tcp = listener("tcp", { port: TCP_PORT, protocol: "TCP" });
const door = (...listeners: readonly JsonObject[]): JsonObject => gateway("door", { listeners });

const textOf = (value: unknown): string => JSON.stringify(value).replaceAll('"', "");

/** What was seen of the condition Programmed of a Gateway, in the order in which it was written: `True/2`, with the generation. */
class ProgrammedHistory {
  readonly #seen = new Map<string, string[]>();
  readonly #stop = new AbortController();

  constructor(client: KubeClient) {
    const resource = { group: "gateway.networking.k8s.io", version: "v1", kind: "Gateway", plural: "gateways" };
    void followKind({
      client,
      resource: { ...resource, isNamespaced: true, verbs: [], shortNames: [], hasStatus: true },
      signal: this.#stop.signal,
      onChanges: ({ upserted }) => {
        for (const object of upserted) this.#note(object);
      },
    });
  }

  #note(object: JsonObject): void {
    const name = textOf(objectAt(object, "metadata")["name"]);
    const conditions = objectsIn(objectAt(object, "status")["conditions"]);
    const programmed = conditions.find(({ type }) => type === "Programmed");
    if (programmed === undefined) return;
    const seen = this.#seen.get(name) ?? [];
    const word = `${textOf(programmed["status"])}/${textOf(programmed["observedGeneration"])}`;
    if (seen.at(-1) !== word) seen.push(word);
    this.#seen.set(name, seen);
  }

  /** What was seen of a Gateway since the last call. */
  take(name: string): readonly string[] {
    return this.#seen.get(name)?.splice(0) ?? [];
  }

  close(): void {
    this.#stop.abort();
  }
}

describe.skipIf(parts === undefined || envoyPath === undefined)("replicas that serve Envoys", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let log: RequestLog;
  let client: KubeClient;
  let history: ProgrammedHistory;
  const replicas: Replica[] = [];
  const envoys: RunningEnvoy[] = [];

  const startReplica = async (user: string): Promise<Replica> => {
    const [xdsPort = 0] = await findFreePorts(1);
    const xds = ["--xds", `127.0.0.1:${xdsPort}`, "--gateway-addresses", POOL];
    return { user, xdsPort, program: await startReportProgram(plane, user, [...LEASE, ...xds]) };
  };
  /** An Envoy that gets everything from this replica. */
  const startEnvoyOf = async (replica: Replica, without: readonly string[] = []): Promise<RunningEnvoy> => {
    const [adminPort = 0] = await findFreePorts(1);
    const server = { host: "127.0.0.1", port: replica.xdsPort };
    const nodeId = `envoy-${replica.user}-${envoys.length}`;
    const bootstrap = compileBootstrap({ nodeId, gateway: "*/*", server, tls: undefined, adminPort });
    const envoy = await startEnvoy(envoyPath ?? "", bootstrapJson(bootstrap), adminPort, { without });
    envoys.push(envoy);
    return envoy;
  };
  const notes = (): string => replicas.map(({ user, program }) => `${user}:\n${program.text()}`).join("\n");
  const untilProgrammed = async (name: string, words: string): Promise<string> => {
    let message = "";
    await until(
      async () => {
        const { status, metadata } = await getWritten(plane, "gateway", name, "default");
        const found = status?.conditions?.find(({ type }) => type === "Programmed");
        message = found?.message ?? "";
        return `${found?.status}/${found?.reason}` === words && found?.observedGeneration === metadata.generation;
      },
      () => `Gateway ${name} is not Programmed=${words}: ${message}\n${notes()}`,
      100,
    );
    return message;
  };
  const split = async (): Promise<{ readonly leader: Replica; readonly follower: Replica }> => {
    const leader = await findLeader(plane, replicas);
    const follower = replicas.find((replica) => replica !== leader);
    if (follower === undefined) throw new Error("there are two replicas");
    return { leader, follower };
  };
  const end = async (replica: Replica, signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    replica.program.child.kill(signal);
    await replica.program.ended;
    replicas.splice(replicas.indexOf(replica), 1);
  };
  /** The Leases by which replicas report what their Envoys acknowledge. */
  const leases = async (): Promise<readonly string[]> =>
    (await plane.kubectl(["get", "leases", "-n", REPORT_NAMESPACE, "-l", "prevail.dev/envoys-of", "-o", "name"]))
      .split("\n")
      .filter((line) => line !== "");

  beforeAll(async () => {
    if (parts === undefined || envoyPath === undefined) return;
    log = createRequestLog({ verbs: ["create", "update", "delete"] });
    const users = Object.fromEntries(USERS.map((user) => [user, ["system:masters"]]));
    plane = await startControlPlane(parts, { frontProxy: true, users, flags: log.flags });
    client = await clientAs(plane);
    history = new ProgrammedHistory(client);
    await applyAll(plane, [
      namespaceObject(REPORT_NAMESPACE),
      gatewayClass("class", "prevail.dev/gateway"),
      service("s"),
      door(http),
      gateway("other", { listeners: [http] }),
      route("bytes", "Gateway/door#tcp", { kind: "TCPRoute", rules: [{ backends: ["s"] }] }),
    ]);
    for (const user of USERS) replicas.push(await startReplica(user));
  }, CLUSTER_START);
  afterAll(async () => {
    history?.close();
    client?.close();
    for (const { program } of replicas) {
      program.child.kill("SIGKILL");
      await program.ended;
    }
    for (const envoy of envoys) await envoy.close();
    await plane?.close();
    log?.close();
  });

  test("a Gateway is Programmed by an Envoy of the follower, and after an edit the condition stays until that has acknowledged it", async () => {
    const { follower } = await split();
    await startEnvoyOf(follower);
    await untilProgrammed("door", "True/Programmed");
    await untilProgrammed("other", "True/Programmed");
    history.take("door");
    for (let i = 0; i < 5; i++) {
      await applyAll(plane, [door(listener("http", { port: PORT, hostname: `h${i}.example` }))]);
      await untilProgrammed("door", "True/Programmed");
    }
    const seen = history.take("door");
    expect(seen.length).toBeGreaterThanOrEqual(5);
    expect(seen.filter((word) => !word.startsWith("True/"))).toEqual([]);
  });

  test("edits of routes write nothing into the Leases of replicas but their renewals", async () => {
    const { follower } = await split();
    const writes = (): number =>
      log
        .read()
        .filter(
          ({ user, verb, objectRef }) =>
            user.username === follower.user && verb !== "create" && /-envoys-/.test(objectRef?.name ?? ""),
        ).length;
    const [before, beganMs] = [writes(), Date.now()];
    for (let i = 0; i < 40; i++)
      await applyAll(plane, [
        route("bread", "Gateway/door", { hostnames: [`h4.example`], rules: [{ name: `r${i}` }] }),
      ]);
    const renewals = (Date.now() - beganMs) / ((LEASE_SECONDS * 1000) / 3);
    expect(writes() - before).toBeLessThanOrEqual(Math.ceil(renewals) + 1);
  });

  test("an Envoy of the follower refuses what that of the leader accepts: not Programmed, for this Gateway and no other", async () => {
    const { leader, follower } = await split();
    await startEnvoyOf(leader);
    const poor = await startEnvoyOf(follower, [TCP_PROXY]);
    history.take("other");
    await applyAll(plane, [door(http, tcp)]);
    const message = await untilProgrammed("door", "False/Invalid");
    expect(message).toContain(`default/door:${TCP_PORT}`);
    expect(message).toContain("envoy.filters.network.tcp_proxy");
    await untilProgrammed("other", "True/Programmed");
    expect(history.take("other")).toEqual([]);
    await poor.close();
    await untilProgrammed("door", "True/Programmed");
  });

  test("a follower that dies with a refusal does not freeze the status: it does not count after its Lease", async () => {
    const { leader, follower } = await split();
    await applyAll(plane, [door(http)]);
    await untilProgrammed("door", "True/Programmed");
    await startEnvoyOf(follower, [TCP_PROXY]);
    await applyAll(plane, [door(http, tcp)]);
    await untilProgrammed("door", "False/Invalid");
    history.take("other");
    await end(follower, "SIGKILL");
    await untilProgrammed("door", "True/Programmed");
    expect(history.take("other")).toEqual([]);
    expect(await findLeader(plane, replicas)).toBe(leader);
    // The Lease that it left behind is deleted.
    await until(async () => (await leases()).length === 0);
  });

  test("another replica leads: the status stays, and goes on to follow the Envoys of both", async () => {
    const [leader] = replicas;
    if (leader === undefined) throw new Error("a replica runs");
    const next = await startReplica(USERS.find((user) => user !== leader.user) ?? "");
    replicas.push(next);
    await startEnvoyOf(next);
    await until(async () => (await leases()).length === 1);
    history.take("door");
    await end(leader, "SIGTERM");
    expect(await findLeader(plane, replicas)).toBe(next);
    // The leader has none.
    await until(async () => (await leases()).length === 0);
    await applyAll(plane, [door(http)]);
    await untilProgrammed("door", "True/Programmed");
    const after = await startReplica(leader.user);
    replicas.push(after);
    await startEnvoyOf(after, [TCP_PROXY]);
    await until(async () => (await leases()).length === 1);
    expect(history.take("door").filter((word) => !word.startsWith("True/"))).toEqual([]);
    await applyAll(plane, [door(http, tcp)]);
    await untilProgrammed("door", "False/Invalid");
  });
});
