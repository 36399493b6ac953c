/** `prevail run --dataplane envoy`: connects files, engine and Envoys, and runs until a signal stops it. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { AdminOptions, AdminServer } from "../../adapters/admin/admin-server.ts";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import { type ExitCode, exitCodes } from "../../cli/exit-codes.ts";
import type { ServeOutput, ServeSettings } from "../../cli/run/settings.ts";
import { type AddressOf, formatProblem } from "../../cli/run/text.ts";
import { DEFAULT_SYSTEM_AUTHORITIES } from "../../cli/xds/settings.ts";
import type { DataplaneServer } from "../../controller/control-loop.ts";
import { formatRef } from "../../core/model/refs.ts";
import { retryReportJson } from "../../core/retry/parse-retry-report.ts";
import { createDemoBackends, type DemoBackends } from "../../gateway/demo/demo-backends.ts";
import { createMetrics } from "../../gateway/observe/metrics.ts";
import {
  type EnvoyDataplane,
  type EnvoyDataplaneOptions,
  startEnvoyDataplane,
} from "../../xds/serve/envoy/envoy-dataplane.ts";
import { bindPorts, boundAddress } from "../bind-ports.ts";
import { startFilesLoop } from "../files-loop.ts";
import { observeRequests, openAdmin } from "../observe-requests.ts";
import { createReporter, NOTHING_SERVED } from "../report-serving.ts";
import { untilSignal } from "../until-signal.ts";
import { envoySecrets } from "../xds-secrets.ts";
import { createEnvoyEvents, type EnvoyEvents } from "./envoy-events.ts";

export async function serveEnvoy(settings: ServeSettings, output: ServeOutput, filesWorker: URL): Promise<ExitCode> {
  const envoyPath = findBinary(settings.envoyPath ?? "envoy");
  if (envoyPath === undefined) {
    const wanted =
      settings.envoyPath === undefined ? "there is no envoy on the PATH" : `${settings.envoyPath} cannot be run`;
    return output.fail(
      wanted,
      "Give its path with --envoy PATH. The supported version is Envoy 1.40; docs/envoy.md describes how to install it.",
    );
  }
  const stop = untilSignal();
  const metrics = createMetrics();
  const events = createEnvoyEvents();
  const observe = observeRequests(settings, output, metrics);
  const isObserved = settings.accessLog !== undefined || settings.adminPort !== undefined;
  const envoys = await openDataplane({
    envoyPath,
    bind: bindPorts(settings),
    matchRegex: createRegex(),
    systemAuthorities: DEFAULT_SYSTEM_AUTHORITIES,
    trustedHops: settings.trustedHops,
    heapMib: settings.heapMib,
    onLine: (line) => output.note(line),
    ...(isObserved ? { onAccess: (gateway, access) => observe(events.eventOf(gateway, access)) } : {}),
  });
  if (typeof envoys === "string") {
    stop.forget();
    return output.fail(envoys, "The folder for temporary files is the one that TMPDIR names.");
  }
  const demo = settings.hasDemoBackends ? createDemoBackends() : undefined;
  const loop = await startFilesLoop(settings, {
    filesWorker,
    note: output.note,
    dataplane: envoyDataplane(envoys, events, demo),
    dataplaneName: "envoy",
    report: createReporter(output, { addressOf: () => addressOf(settings, envoys), metrics }),
  });
  let admin: AdminServer | undefined;
  try {
    await loop.refresh();
    if (envoys.openPorts().length === 0) return output.fail(...NOTHING_SERVED);
    const opened = await openAdmin(settings, output, {
      metrics: metrics.render,
      readiness: () => readiness(envoys, loop.generation()),
      states: {
        "/status": () => ({ nodes: envoys.nodes() }),
        "/retries": () => retryReportJson(metrics.retries()),
      },
    });
    if (typeof opened === "number") return opened;
    admin = opened;
    await loop.follow(stop.signal);
    output.note(`stopping; requests have ${settings.drainMs / 1000} s to end`);
    return exitCodes.ok;
  } finally {
    stop.forget();
    await envoys.close(settings.drainMs);
    await Promise.all([admin?.close(), demo?.close(), loop.close()]);
  }
}

/** The address that a port is open on. */
function addressOf(settings: ServeSettings, { openPorts }: EnvoyDataplane): AddressOf {
  const bound = boundAddress(settings);
  const open = new Set(openPorts().map(({ gateway, config }) => `${formatRef(gateway)} ${config.port}`));
  return (gateway, port) => (open.has(`${formatRef(gateway)} ${port}`) ? bound(gateway, port) : undefined);
}

/** Returns an error message if the socket for its Envoys cannot be opened. */
async function openDataplane(options: EnvoyDataplaneOptions): Promise<EnvoyDataplane | string> {
  try {
    return await startEnvoyDataplane(options);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function readiness(envoys: EnvoyDataplane, generation: number): ReturnType<AdminOptions["readiness"]> {
  const late = envoys.unsettled();
  return late.length === 0
    ? { isReady: true, reason: `serving configuration ${generation}` }
    : { isReady: false, reason: `not taken yet: ${late.join(", ")}` };
}

const envoyDataplane = (
  envoys: EnvoyDataplane,
  events: EnvoyEvents,
  demo: DemoBackends | undefined,
): DataplaneServer => ({
  replace: async (config, keyMaterial) => {
    const staged = demo === undefined ? config : await demo.replaceEndpoints(config);
    events.use(staged);
    const problems = await envoys.replace(staged, envoySecrets(keyMaterial));
    return [...config.problems.map(formatProblem), ...problems];
  },
});

/** Finds a program by its path, or by its name on the PATH. */
function findBinary(name: string): string | undefined {
  const candidates = name.includes("/")
    ? [name]
    : (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name));
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
