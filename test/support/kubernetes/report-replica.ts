/** Replicas of the controller that write status, in this process or as programs, and the status that they must have written. */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewaySettings } from "../../../src/cli/controller/gateway-settings.ts";
import type { ReportSettings } from "../../../src/cli/controller/report-settings.ts";
import { createPrinters } from "../../../src/cli/streams/create-printers.ts";
import { ownsKind } from "../../../src/controller/report/owns-kind.ts";
import { buildStatus } from "../../../src/core/build-status.ts";
import { evaluate } from "../../../src/core/evaluate.ts";
import { worldOf } from "../../../src/core/evaluation.ts";
import { type GroupKind, kindId, type ObjectId, splitId } from "../../../src/core/model/refs.ts";
import { buildSnapshot } from "../../../src/core/model/snapshot.ts";
import { isAffectedTypeOf } from "../../../src/core/status/affected-type.ts";
import { mergeStatus } from "../../../src/core/status/merge-status.ts";
import { NOTHING_WANTED, wantedStatuses } from "../../../src/core/status/wanted-status.ts";
import { knownDefinitions } from "../../../src/definitions/known-definitions.ts";
import { runController } from "../../../src/serve/controller/serve-controller.ts";
import { readCluster } from "../../../src/sources/cluster/read-cluster.ts";
import { testIo } from "../cli/test-io.ts";
import { findFreePorts } from "../gateway/find-free-ports.ts";
import { connectAs } from "./cluster-client.ts";
import { type ControlPlane, kubeconfigText } from "./control-plane.ts";
import { buildProgram } from "./program-process.ts";
import { until } from "./until.ts";

const CONTROLLER_NAME = "prevail.dev/gateway";
export const REPORT_NAMESPACE = "prevail-system";
const LEASE_NAME = "prevail-controller";
/** The user of the control plane that replicas are. */
export const CONTROLLER_USER = "controller";

export const reportSettings: ReportSettings = {
  controllerName: CONTROLLER_NAME,
  own: [
    { kind: "RetryPolicy", group: "prevail.dev" },
    { kind: "ClusterRetryPolicy", group: "prevail.dev" },
  ],
  reportAffected: [],
  isDryRun: false,
  lease: { name: LEASE_NAME, durationSeconds: 15, renewDeadlineMs: 10_000, retryMs: 2000 },
};

export interface ReportReplica {
  readonly notes: readonly string[];
  /** Ends as SIGTERM does. */
  readonly close: () => Promise<void>;
}

/** Resolves when the replica has read the cluster. */
export async function startReportReplica(
  plane: ControlPlane,
  report: Partial<ReportSettings> = {},
  through: {
    readonly port?: number;
    readonly gateways?: GatewaySettings;
    readonly adminPort?: number;
    /** By default CONTROLLER_USER. */
    readonly user?: string;
    /** The port of the view API. By default a free one. */
    readonly viewPort?: number;
  } = {},
): Promise<ReportReplica> {
  const [freePort = 0] = await findFreePorts(1);
  const stop = new AbortController();
  const notes: string[] = [];
  const { errorPrint } = createPrinters(testIo().io);
  const running = runController(
    await connectAs(plane, through.user ?? CONTROLLER_USER, through),
    {
      access: { kubeconfig: plane.kubeconfig },
      view: { host: "127.0.0.1", port: through.viewPort ?? freePort },
      admin: through.adminPort === undefined ? undefined : { host: "127.0.0.1", port: through.adminPort },
      service: { namespace: REPORT_NAMESPACE, name: "prevail-view" },
      secretName: "prevail-view-tls",
      certificateFiles: undefined,
      redactsNames: false,
      webhook: undefined,
      gateways: through.gateways,
      report: { ...reportSettings, ...report },
    },
    {
      write: () => undefined,
      errorPrint,
      note: (message) => notes.push(message),
      fail: (message) => {
        notes.push(message);
        return 1;
      },
    },
    stop.signal,
  );
  await until(
    () => notes.some((note) => note.includes("has been read")),
    () => notes.join("\n"),
  );
  return {
    notes,
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

export interface ReportProgram {
  readonly child: ChildProcess;
  /** What it printed. */
  readonly text: () => string;
  readonly ended: Promise<number | null>;
}

/** The built program as a replica. Resolves when it has read the cluster. */
export async function startReportProgram(
  plane: ControlPlane,
  user: string,
  more: readonly string[] = [],
): Promise<ReportProgram> {
  buildProgram();
  const [port = 0] = await findFreePorts(1);
  const { server, authority, folder } = plane;
  const kubeconfig = join(folder, `kubeconfig-program-${user}`);
  writeFileSync(kubeconfig, kubeconfigText({ server, authority, token: plane.token(user) }));
  const options = ["--listen", `127.0.0.1:${port}`, "--admin", "off", "--service", `${REPORT_NAMESPACE}/prevail-view`];
  const child = spawn(
    process.execPath,
    ["dist/bin/prevail.js", "controller", "--kubeconfig", kubeconfig, ...options, ...more],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const program: ReportProgram = { child, text: () => text, ended };
  try {
    await until(
      () => text.includes("has been read") || !isRunning(program),
      () => text,
    );
    if (!isRunning(program)) throw new Error(`the controller ended:\n${text}`);
  } catch (error) {
    // The caller does not get the process, which would own the Lease for the rest of the test.
    child.kill("SIGKILL");
    throw error;
  }
  return program;
}

/** False for a program that has ended or was killed. */
export const isRunning = ({ child }: Pick<ReportProgram, "child">): boolean =>
  child.exitCode === null && child.signalCode === null;

export interface StatusOwner {
  readonly own?: ReportSettings["own"];
  readonly reportAffected?: ReportSettings["reportAffected"];
}

/** The program that owns the Lease. It may be any of those that run. */
export async function findLeader<Replica extends { readonly program: ReportProgram }>(
  plane: ControlPlane,
  replicas: readonly Replica[],
): Promise<Replica> {
  const path = "jsonpath={.spec.holderIdentity}";
  let owner = "";
  let leader: Replica | undefined;
  await until(
    async () => {
      owner = await plane.kubectl(["get", "lease", LEASE_NAME, "-n", REPORT_NAMESPACE, "-o", path]);
      leader = replicas.find(({ program }) => owner !== "" && program.text().includes(owner) && isRunning(program));
      return leader !== undefined;
    },
    () => [`the Lease is owned by '${owner}'`, ...replicas.map(formatReplica), ""].join("\n"),
  );
  if (leader === undefined) throw new Error("a replica leads");
  return leader;
}

/** What a program is doing, and the last of the different lines that it printed. */
export function formatReplica({ program }: { readonly program: ReportProgram }): string {
  const lines = [...new Set(program.text().trim().split("\n").reverse())].slice(0, 30).reverse();
  return `process ${program.child.pid} ${isRunning(program) ? "runs" : "has ended"}:\n  ${lines.join("\n  ")}`;
}

/** The objects whose status differs from what an evaluation of a fresh list says, with what is written there. */
export async function differingStatuses(plane: ControlPlane, settings: StatusOwner = {}): Promise<readonly string[]> {
  const { own = reportSettings.own, reportAffected = [] } = settings;
  const { client } = await connectAs(plane);
  try {
    const { objects, completeness } = await readCluster(client, { namespaces: [] });
    const snapshot = buildSnapshot(objects, { completeness, validated: true });
    const evaluation = evaluate(snapshot, knownDefinitions());
    const given = new Set(own.map(({ kind, group = "" }) => kindId({ kind, group })));
    const owner = { controllerName: CONTROLLER_NAME, isOwned: (kind: GroupKind) => given.has(kindId(kind)) };
    const ownedKinds = worldOf(evaluation).rulebook.kinds.flatMap(({ definition }) =>
      ownsKind(owner, definition) ? definition.policies : [],
    );
    const report = buildStatus(evaluation, { controllerName: CONTROLLER_NAME, ownedKinds });
    const asked = new Set(reportAffected.map(({ kind, group = "" }) => kindId({ kind, group })));
    const isReported = (id: ObjectId): boolean =>
      asked.has(splitId(id).kind) || splitId(id).kind.endsWith(".gateway.networking.k8s.io");
    const wanted = wantedStatuses(report, ({ object }) => isReported(object));
    const differing: string[] = [];
    worldOf(evaluation).objects.forEach(({ id, raw }) => {
      const { object } = mergeStatus(raw, wanted.get(id) ?? NOTHING_WANTED, {
        controllerName: CONTROLLER_NAME,
        isOurs: isAffectedTypeOf(CONTROLLER_NAME),
        mayChangeAncestors: true,
        now: "2000-01-01T00:00:00Z",
      });
      if (object !== undefined)
        differing.push(`${id}: ${JSON.stringify(raw["status"])} should be ${JSON.stringify(object["status"])}`);
    });
    return differing;
  } finally {
    client.close();
  }
}

/** Waits until every object has the status that an evaluation of a fresh list gives it. `describe`: what a failure says beside the differences. */
export async function untilReported(
  plane: ControlPlane,
  owner?: StatusOwner,
  describe: () => string = () => "",
): Promise<void> {
  let differing: readonly string[] = [];
  await until(
    async () => {
      differing = await differingStatuses(plane, owner);
      return differing.length === 0;
    },
    () => `${differing.length} objects differ:\n${differing.slice(0, 3).join("\n")}\n${describe()}`,
    300,
  );
}
