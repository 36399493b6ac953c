/** `prevail run`: connects files, engine and gateway, and runs until a signal stops it. */
import type { AdminServer } from "../../adapters/admin/admin-server.ts";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import { type ExitCode, exitCodes } from "../../cli/exit-codes.ts";
import type { ServeOutput, ServeSettings } from "../../cli/run/settings.ts";
import { type AddressOf, formatProblem } from "../../cli/run/text.ts";
import type { DataplaneServer } from "../../controller/control-loop.ts";
import { formatRef } from "../../core/model/refs.ts";
import { retryReportJson } from "../../core/retry/parse-retry-report.ts";
import { createDemoBackends, type DemoBackends } from "../../gateway/demo/demo-backends.ts";
import { createGateway, type Gateway } from "../../gateway/gateway.ts";
import { createMetrics } from "../../gateway/observe/metrics.ts";
import { bindPorts } from "../bind-ports.ts";
import { startFilesLoop } from "../files-loop.ts";
import { observeRequests, openAdmin } from "../observe-requests.ts";
import { createReporter, NOTHING_SERVED } from "../report-serving.ts";
import { untilSignal } from "../until-signal.ts";
import { gatewaySecrets } from "./gateway-secrets.ts";

export async function serveGateway(settings: ServeSettings, output: ServeOutput, filesWorker: URL): Promise<ExitCode> {
  const stop = untilSignal();
  const metrics = createMetrics();
  const gateway = createGateway({
    matchRegex: createRegex({ maxPatterns: 256 }),
    bind: bindPorts(settings),
    onEvent: observeRequests(settings, output, metrics),
    debugHeaders: settings.hasDebugHeaders,
    drainMs: settings.drainMs,
    trustedHops: settings.trustedHops,
  });
  const demo = settings.hasDemoBackends ? createDemoBackends() : undefined;
  const loop = await startFilesLoop(settings, {
    filesWorker,
    note: output.note,
    dataplane: embeddedDataplane(gateway, demo),
    dataplaneName: "embedded",
    report: createReporter(output, { addressOf: () => addressOf(gateway), metrics }),
  });
  let admin: AdminServer | undefined;
  try {
    await loop.refresh();
    if (gateway.openPorts().length === 0) return output.fail(...NOTHING_SERVED);
    const opened = await openAdmin(settings, output, {
      metrics: metrics.render,
      readiness: () => ({ isReady: true, reason: `serving configuration ${loop.generation()}` }),
      states: { "/retries": () => retryReportJson(metrics.retries()) },
    });
    if (typeof opened === "number") return opened;
    admin = opened;
    await loop.follow(stop.signal);
    output.note(`stopping; requests have ${settings.drainMs / 1000} s to end`);
    return exitCodes.ok;
  } finally {
    stop.forget();
    await gateway.close({ drainMs: settings.drainMs });
    await Promise.all([admin?.close(), demo?.close(), loop.close()]);
  }
}

const embeddedDataplane = (gateway: Gateway, demo: DemoBackends | undefined): DataplaneServer => ({
  replace: async (config, keyMaterial) => {
    const staged = demo === undefined ? config : await demo.replaceEndpoints(config);
    const { problems } = await gateway.replace(staged, gatewaySecrets(keyMaterial));
    return [...config.problems.map(formatProblem), ...problems.map(({ message }) => message)];
  },
});

/** The address that a port is open on. */
function addressOf(gateway: Gateway): AddressOf {
  const open = new Map(gateway.openPorts().map((port) => [`${formatRef(port.gateway)} ${port.port}`, port] as const));
  return (ref, port) => {
    const found = open.get(`${formatRef(ref)} ${port}`);
    if (found === undefined) return undefined;
    const host = found.address.includes(":") ? `[${found.address}]` : found.address;
    return `${host}:${found.boundPort}`;
  };
}
