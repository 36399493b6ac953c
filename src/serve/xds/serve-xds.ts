/** `prevail xds serve`: connects files, engine and xDS server, and runs until a signal stops it. */
import { readFileSync } from "node:fs";
import { type AdminOptions, type AdminServer, startAdminServer } from "../../adapters/admin/admin-server.ts";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import { type ExitCode, exitCodes } from "../../cli/exit-codes.ts";
import type { ServeOutput } from "../../cli/run/settings.ts";
import { formatProblem } from "../../cli/run/text.ts";
import type { XdsServeSettings } from "../../cli/xds/xds-tools.ts";
import { formatXdsAddress } from "../../core/envoy/xds-address.ts";
import { type ControlPlane, startControlPlane } from "../../xds/serve/control-plane.ts";
import { createXdsMetrics, type XdsMetrics } from "../../xds/serve/xds-metrics.ts";
import type { XdsServerTls } from "../../xds/serve/xds-port.ts";
import { bindPorts, boundAddress } from "../bind-ports.ts";
import { startFilesLoop } from "../files-loop.ts";
import { createReporter } from "../report-serving.ts";
import { untilSignal } from "../until-signal.ts";
import { envoySecrets } from "../xds-secrets.ts";
import { formatEvent } from "./format-event.ts";
import { slackMs } from "./timer-slack.ts";

export async function serveXds(settings: XdsServeSettings, output: ServeOutput, filesWorker: URL): Promise<ExitCode> {
  let generation = 0;
  const opened = await open(settings, output, () => generation);
  if (typeof opened === "string") return output.fail(opened);
  const { plane, metrics, admin } = opened;
  const stop = untilSignal();
  const loop = await startFilesLoop(settings, {
    filesWorker,
    note: output.note,
    dataplaneName: "envoy",
    dataplane: {
      replace: async (config, keyMaterial) =>
        [...config.problems, ...plane.replace(config, envoySecrets(keyMaterial))].map(formatProblem),
    },
    report: createReporter(output, {
      addressOf: () => boundAddress(settings),
      metrics: {
        noteConfig: (outcome) => {
          metrics.noteConfig(outcome);
          if (outcome !== "Kept") ({ generation } = outcome);
        },
      },
    }),
  });
  try {
    await loop.refresh();
    output.note(
      `Envoys are served at ${servedAt(settings, plane)}; state and metrics at http://127.0.0.1:${admin.port}/status and /metrics`,
    );
    await loop.follow(stop.signal);
    return exitCodes.ok;
  } finally {
    stop.forget();
    await Promise.all([plane.close(), admin.close(), loop.close()]);
  }
}

interface Opened {
  readonly plane: ControlPlane;
  readonly metrics: XdsMetrics;
  readonly admin: AdminServer;
}

/** Returns an error message if the server cannot be opened. */
async function open(
  settings: XdsServeSettings,
  { note }: ServeOutput,
  generation: () => number,
): Promise<Opened | string> {
  const { listen, serverTls, systemAuthorities, timer, statusPort, trustedHops } = settings;
  let plane: ControlPlane | undefined;
  const metrics = createXdsMetrics({ nodes: () => plane?.nodes() ?? [], nowMs: () => Date.now() });
  try {
    plane = await startControlPlane({
      address: listen,
      tls: readTls(serverTls),
      onEvent: (event) => {
        metrics.observe(event);
        const line = formatEvent(event);
        if (line !== undefined) note(line);
      },
      compile: {
        bind: bindPorts(settings),
        slackMs: slackMs(timer),
        systemAuthorities,
        trustedHops,
        matchRegex: createRegex(),
      },
    });
    const { nodes } = plane;
    const admin = await startAdminServer({
      host: "127.0.0.1",
      port: statusPort,
      metrics: metrics.render,
      readiness: () => readiness(generation()),
      states: { "/status": () => ({ nodes: nodes() }) },
    });
    return { plane, metrics, admin };
  } catch (error) {
    await plane?.close();
    return error instanceof Error ? error.message : String(error);
  }
}

const readiness = (generation: number): ReturnType<AdminOptions["readiness"]> =>
  generation === 0
    ? { isReady: false, reason: "no configuration yet" }
    : { isReady: true, reason: `serving configuration ${generation}` };

function readTls(files: XdsServeSettings["serverTls"]): XdsServerTls | undefined {
  if (files === undefined) return undefined;
  const read = (path: string): string => readFileSync(path, "utf8");
  return {
    certificate: read(files.certificateFile),
    privateKey: read(files.keyFile),
    authorities: read(files.authorityFile),
  };
}

const servedAt = ({ listen }: XdsServeSettings, { port }: ControlPlane): string =>
  formatXdsAddress("host" in listen ? { ...listen, port } : listen);
