/** Envoys that are told over xDS what to do, as `prevail run --dataplane envoy` starts them. */
import { createRegex } from "../../src/adapters/regex/create-regex.ts";
import type { SecretSource } from "../../src/xds/compile/secret-source.ts";
import {
  type EnvoyDataPlane,
  type EnvoyDataPlaneOptions,
  startEnvoyDataPlane,
} from "../../src/xds/serve/envoy-data-plane.ts";

export const NO_KEYS: SecretSource = { findCertificate: () => undefined, findAuthorities: () => undefined };

/** For one Gateway with one port: it listens at `port` of the loopback. */
export const startEnvoyPlane = (
  envoyPath: string | undefined,
  port: number,
  options: Pick<EnvoyDataPlaneOptions, "concurrency" | "scopesFrom"> = {},
): Promise<EnvoyDataPlane> =>
  startEnvoyDataPlane({
    envoyPath: envoyPath ?? "",
    bind: () => ({ host: "127.0.0.1", port }),
    matchRegex: createRegex(),
    systemAuthorities: "/none",
    onLine: () => {},
    concurrency: 1,
    ...options,
  });
