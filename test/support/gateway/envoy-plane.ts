/** Envoys that are configured over xDS, as `prevail run --dataplane envoy` starts them. */
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import type { EnvoySecrets } from "../../../src/xds/compile/envoy-secrets.ts";
import {
  type EnvoyDataplane,
  type EnvoyDataplaneOptions,
  startEnvoyDataplane,
} from "../../../src/xds/serve/envoy/envoy-dataplane.ts";

export const NO_KEYS: EnvoySecrets = { findCertificate: () => undefined, findAuthorities: () => undefined };

/** For one Gateway with one port: it listens at `port` of the loopback. */
export const startEnvoyPlane = (
  envoyPath: string | undefined,
  port: number,
  options: Pick<
    EnvoyDataplaneOptions,
    "concurrency" | "scopesFrom" | "limits" | "trustedHops" | "heapMib" | "adminPort"
  > = {},
): Promise<EnvoyDataplane> =>
  startEnvoyDataplane({
    envoyPath: envoyPath ?? "",
    bind: () => ({ host: "127.0.0.1", port }),
    matchRegex: createRegex(),
    systemAuthorities: "/none",
    onLine: () => {},
    concurrency: 1,
    ...options,
  });
