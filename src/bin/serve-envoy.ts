/** `prevail run --dataplane envoy`: files, engine and Envoys put together, and kept running until a signal comes. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { createRegex } from "../adapters/regex/create-regex.ts";
import { type ExitCode, exitCodes } from "../cli/exit-codes.ts";
import { loadCel } from "../cli/load-source.ts";
import type { ServeSettings, ServeSpeech } from "../cli/serve-settings.ts";
import { describeProblem } from "../cli/tell-served.ts";
import { DEFAULT_SYSTEM_AUTHORITIES } from "../cli/xds-settings.ts";
import { createControlLoop, type DataPlane } from "../controller/control-loop.ts";
import { builtInDefinitions } from "../definitions/built-in-definitions.ts";
import { createDemoBackends, type DemoBackends } from "../gateway/demo-backends.ts";
import { type EnvoyDataPlane, startEnvoyDataPlane } from "../xds/serve/envoy-data-plane.ts";
import { startFilesThread } from "./files-thread.ts";
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
  const address = (port: number) => ({ host: settings.bind, port: settings.portMap.get(port) ?? port });
  const envoys = await startEnvoyDataPlane({
    envoyPath,
    bind: (_, port) => address(port),
    matchRegex: createRegex(),
    systemAuthorities: DEFAULT_SYSTEM_AUTHORITIES,
    onLine: (line) => speech.note(line),
  });
  const demo = settings.hasDemoBackends ? createDemoBackends() : undefined;
  const files = startFilesThread(settings);
  const loop = createControlLoop({
    source: files,
    dataPlane: dataPlane(envoys, demo),
    evaluation: { definitions: builtInDefinitions(), cel: await loadCel() },
    report: createReporter(speech, {
      addressOf: () => (_, port) => `${address(port).host}:${address(port).port}`,
      noteConfig: () => {},
    }),
    nowMs: () => performance.now(),
  });
  try {
    await loop.refresh();
    await followFiles(settings, speech, loop, stop.signal);
    speech.note(`stopping; requests have ${settings.drainMs / 1000} s to end`);
    return exitCodes.ok;
  } finally {
    stop.forget();
    await envoys.close(settings.drainMs);
    await Promise.all([demo?.close(), files.close()]);
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
