/** Serves objects with the embedded gateway or with Envoy, each port of the configuration at a free port of the loopback. The objects may change. */
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import { compileDataplane } from "../../../src/core/compile.ts";
import type { DataplaneConfig } from "../../../src/core/dataplane/gateway-config.ts";
import { evaluate } from "../../../src/core/evaluate.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { buildSnapshot } from "../../../src/core/model/snapshot.ts";
import { builtInDefinitions } from "../../../src/definitions/built-in-definitions.ts";
import { createGateway } from "../../../src/gateway/gateway.ts";
import type { GatewayEvent } from "../../../src/gateway/observe/gateway-event.ts";
import { gatewaySecrets } from "../../../src/serve/run/gateway-secrets.ts";
import { envoySecrets } from "../../../src/serve/xds-secrets.ts";
import type { KeyMaterial } from "../../../src/sources/key-material.ts";
import { startEnvoyDataplane } from "../../../src/xds/serve/envoy/envoy-dataplane.ts";
import { findEnvoy } from "./envoy.ts";
import { findFreePorts } from "./find-free-ports.ts";
import type { Cleanup } from "./gateway-harness.ts";
import { API_CERTIFICATE, API_KEY, CA_CERTIFICATE, SHOP_CERTIFICATE, SHOP_KEY } from "./test-certificates.ts";

export interface ServedPlane {
  /** The port of the loopback for a port of the configuration. */
  readonly portOf: (port: number) => number;
  readonly problems: readonly string[];
  /** Serves other objects, with the same ports. Resolves with the problems. */
  readonly replace: (objects: readonly JsonObject[], keys?: KeyMaterial) => Promise<readonly string[]>;
  /** Events of the embedded gateway; empty for Envoy. */
  readonly events: readonly GatewayEvent[];
}

export type PlaneName = "the embedded gateway" | "Envoy" | "Envoy with a scope for each host";

const envoyPath = findEnvoy();

export const PLANES: readonly PlaneName[] =
  envoyPath === undefined ? ["the embedded gateway"] : ["the embedded gateway", "Envoy"];
/** Also with Envoy as at a port with many hosts. */
export const PLANES_AND_SHAPES: readonly PlaneName[] =
  envoyPath === undefined ? PLANES : [...PLANES, "Envoy with a scope for each host"];
export const hasEnvoy: boolean = envoyPath !== undefined;

/** The certificates `shop` and `api`, and their authority `ca`. */
const KEYS: KeyMaterial = {
  certificates: new Map([
    ["s/shop", { chain: SHOP_CERTIFICATE, privateKey: SHOP_KEY }],
    ["s/api", { chain: API_CERTIFICATE, privateKey: API_KEY }],
  ]),
  authorities: new Map([["s/ca", CA_CERTIFICATE]]),
};

function configOf(objects: readonly JsonObject[]): DataplaneConfig {
  const evaluation = evaluate(buildSnapshot(objects), { definitions: builtInDefinitions() });
  return compileDataplane(evaluation, { endpointAnnotations: "Used" });
}

export async function servePlane(
  cleanup: Cleanup,
  plane: PlaneName,
  objects: readonly JsonObject[],
  keys: KeyMaterial = KEYS,
): Promise<ServedPlane> {
  const config = configOf(objects);
  const wanted = [...new Set(config.gateways.flatMap(({ ports }) => ports.map(({ port }) => port)))];
  const free = await findFreePorts(wanted.length);
  const portOf = (port: number): number => free[wanted.indexOf(port)] ?? 0;
  const events: GatewayEvent[] = [];
  const replacing = await startPlane(cleanup, plane, portOf, (event) => events.push(event));
  const replace: ServedPlane["replace"] = (next, material = keys) => replacing(configOf(next), material);
  return { portOf, events, replace, problems: await replace(objects) };
}

type Replace = (config: DataplaneConfig, keys: KeyMaterial) => Promise<readonly string[]>;

async function startPlane(
  cleanup: Cleanup,
  plane: PlaneName,
  portOf: (port: number) => number,
  onEvent: (event: GatewayEvent) => void,
): Promise<Replace> {
  const bind = (_: unknown, port: number) => ({ host: "127.0.0.1", port: portOf(port) });
  if (plane !== "the embedded gateway") {
    const envoy = await startEnvoyDataplane({
      envoyPath: envoyPath ?? "",
      bind,
      matchRegex: createRegex(),
      systemAuthorities: "/none",
      onLine: () => {},
      concurrency: 1,
      ...(plane === "Envoy" ? {} : { scopesFrom: 0 }),
    });
    cleanup.add(() => envoy.close(0));
    return (config, keys) => envoy.replace(config, envoySecrets(keys));
  }
  const gateway = createGateway({ matchRegex: createRegex(), bind, onEvent });
  cleanup.add(() => gateway.close({ drainMs: 0 }));
  return async (config, keys) => {
    const { problems } = await gateway.replace(config, gatewaySecrets(keys));
    return problems.map(({ message }) => message);
  };
}
