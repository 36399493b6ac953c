/** `prevail run --dataplane envoy`: files, engine and Envoys put together, and kept running until a signal comes. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { createRegex } from "../adapters/regex/create-regex.ts";
import { type ExitCode, exitCodes } from "../cli/exit-codes.ts";
import type { ServeSettings, ServeSpeech } from "../cli/serve-settings.ts";
import { describeProblem } from "../cli/tell-served.ts";
import { DEFAULT_SYSTEM_AUTHORITIES } from "../cli/xds-settings.ts";
import type { DataPlane } from "../controller/control-loop.ts";
import { createDemoBackends, type DemoBackends } from "../gateway/demo-backends.ts";
import { type EnvoyDataPlane, startEnvoyDataPlane } from "../xds/serve/envoy-data-plane.ts";
import { bindPorts, boundAddress } from "./bind-ports.ts";
import { startFilesLoop } from "./files-loop.ts";
import { followFiles } from "./follow-files.ts";
import { createReporter } from "./report-serving.ts";
import { untilSignal } from "./until-signal.ts";
import { xdsSecretSource } from "./xds-secret-source.ts";

export async function serveEnvoy(settings: ServeSettings, speech: ServeSpeech): Promise<ExitCode> {
  const envoyPath = findBinary(settings.envoyPath ?? "envoy");
  if (envoyPath === undefined) {
    const wanted =
      settings.envoyPath === undefined ? "there is no envoy on the PATH" : `${settings.envoyPath} cannot be run`;
    return speech.fail(wanted, "Say with --envoy PATH where it is. Everything here is tested with Envoy 1.40.");
  }
  const stop = untilSignal();
  const envoys = await startEnvoyDataPlane({
    envoyPath,
    bind: bindPorts(settings),
    matchRegex: createRegex(),
    systemAuthorities: DEFAULT_SYSTEM_AUTHORITIES,
    onLine: (line) => speech.note(line),
  });
  const demo = settings.hasDemoBackends ? createDemoBackends() : undefined;
  const loop = await startFilesLoop(settings, {
    dataPlane: dataPlane(envoys, demo),
    report: createReporter(speech, { addressOf: () => boundAddress(settings) }),
  });
  try {
    await loop.refresh();
    await followFiles(settings, speech, loop, stop.signal);
    speech.note(`stopping; requests have ${settings.drainMs / 1000} s to end`);
    return exitCodes.ok;
  } finally {
    stop.forget();
    await envoys.close(settings.drainMs);
    await Promise.all([demo?.close(), loop.close()]);
  }
}

const dataPlane = (envoys: EnvoyDataPlane, demo: DemoBackends | undefined): DataPlane => ({
  replace: async (config, keyMaterial) => {
    const staged = demo === undefined ? config : await demo.stageFor(config);
    const problems = await envoys.replace(staged, xdsSecretSource(keyMaterial));
    return [...config.problems.map(describeProblem), ...problems];
  },
});

/** A path, or a name that is looked for on the PATH. */
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
