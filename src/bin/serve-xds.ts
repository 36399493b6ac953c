/** `prevail xds serve`: files, engine and control plane put together, and kept running until a signal comes. */
import { readFileSync } from "node:fs";
import { createRegex } from "../adapters/regex/create-regex.ts";
import { type ExitCode, exitCodes } from "../cli/exit-codes.ts";
import type { ServeSpeech } from "../cli/serve-settings.ts";
import { describeProblem } from "../cli/tell-served.ts";
import type { XdsServeSettings } from "../cli/xds-tools.ts";
import { type ControlPlane, startControlPlane } from "../xds/serve/control-plane.ts";
import { type StatusServer, startStatusServer } from "../xds/serve/status-server.ts";
import type { XdsEvent, XdsServerTls } from "../xds/serve/xds-server.ts";
import { bindPorts, boundAddress } from "./bind-ports.ts";
import { startFilesLoop } from "./files-loop.ts";
import { followFiles } from "./follow-files.ts";
import { createReporter } from "./report-serving.ts";
import { slackMs } from "./timer-slack.ts";
import { untilSignal } from "./until-signal.ts";
import { xdsSecretSource } from "./xds-secret-source.ts";

export async function serveXds(settings: XdsServeSettings, speech: ServeSpeech): Promise<ExitCode> {
  const opened = await open(settings, speech);
  if (typeof opened === "string") return speech.fail(opened);
  const { plane, status } = opened;
  const stop = untilSignal();
  const loop = await startFilesLoop(settings, {
    dataPlane: {
      replace: async (config, keyMaterial) =>
        [...config.problems, ...plane.replace(config, xdsSecretSource(keyMaterial))].map(describeProblem),
    },
    report: createReporter(speech, { addressOf: () => boundAddress(settings) }),
  });
  try {
    await loop.refresh();
    speech.note(
      `Envoys are served at ${settings.listen.host}:${plane.port}; state at http://127.0.0.1:${status.port}/status`,
    );
    await followFiles(settings, speech, loop, stop.signal);
    return exitCodes.ok;
  } finally {
    stop.forget();
    status.close();
    await Promise.all([plane.close(), loop.close()]);
  }
}

/** A text: why it could not be. */
async function open(
  { listen, serverTls, bind, portMap, systemAuthorities, timer, statusPort }: XdsServeSettings,
  { note }: ServeSpeech,
): Promise<{ readonly plane: ControlPlane; readonly status: StatusServer } | string> {
  try {
    const plane = await startControlPlane({
      ...listen,
      tls: readTls(serverTls),
      onEvent: (event) => note(describeEvent(event)),
      compile: {
        bind: bindPorts({ bind, portMap }),
        slackMs: slackMs(timer),
        systemAuthorities,
        matchRegex: createRegex(),
      },
    });
    return { plane, status: await startStatusServer(statusPort, plane.nodes) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function readTls(files: XdsServeSettings["serverTls"]): XdsServerTls | undefined {
  if (files === undefined) return undefined;
  const read = (path: string): string => readFileSync(path, "utf8");
  return {
    certificate: read(files.certificateFile),
    privateKey: read(files.keyFile),
    authorities: read(files.authorityFile),
  };
}

function describeEvent(event: XdsEvent): string {
  switch (event.type) {
    case "Connected":
      return `Envoy ${event.node} has come, for Gateway ${event.gateway}`;
    case "Disconnected":
      return `Envoy ${event.node} has gone`;
    case "Refused":
      return `Envoy ${event.node} refuses ${event.refusal.type} ${event.refusal.name}: ${event.refusal.reason}`;
    case "Rejected":
      return `${event.node} was turned away: ${event.reason}`;
  }
}
