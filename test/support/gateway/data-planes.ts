/** Both data planes behind one interface, for tests of what both must do. Each serves a configuration with one port, on the loopback. */
import type { EdgeLimits } from "../../../src/core/dataplane/edge-limits.ts";
import type { DataplaneConfig } from "../../../src/core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../../src/core/model/refs.ts";
import { findEnvoy } from "./envoy.ts";
import { startEnvoyPlane } from "./envoy-plane.ts";
import { findFreePorts } from "./find-free-ports.ts";
import { type Cleanup, startGateway } from "./gateway-harness.ts";

export interface PlaneOptions {
  /** By the name of the Secret. */
  readonly certificates?: Readonly<Record<string, { readonly chain: string; readonly privateKey: string }>>;
  readonly limits?: Partial<EdgeLimits>;
  readonly trustedHops?: number;
  /** The memory of the Envoy. */
  readonly heapMib?: number;
  /** A scope for each host at Envoy. Default: hosts in one table. */
  readonly hasScopes?: boolean;
}

export interface DataPlane {
  readonly name: string;
  /** False: there is no Envoy on this machine. */
  readonly isThere: boolean;
  /** Resolves with the port that is open. */
  readonly start: (cleanup: Cleanup, config: DataplaneConfig, options?: PlaneOptions) => Promise<number>;
}

const EMBEDDED: DataPlane = {
  name: "the embedded gateway",
  isThere: true,
  start: async (cleanup, config, { certificates = {}, limits = {}, trustedHops = 0 } = {}) => {
    const secrets = {
      findCertificate: ({ name }: ObjectRef) => certificates[name],
      findAuthorities: () => undefined,
    };
    return (await startGateway(cleanup, config, { secrets, limits, trustedHops })).port;
  },
};

export const ENVOY: DataPlane = {
  name: "Envoy",
  isThere: findEnvoy() !== undefined,
  start: async (cleanup, config, options = {}) => {
    const { certificates = {}, limits = {}, trustedHops = 0, hasScopes = false, heapMib } = options;
    const [port = 0] = await findFreePorts(1);
    const scopesFrom = hasScopes ? 0 : Number.POSITIVE_INFINITY;
    const plane = await startEnvoyPlane(findEnvoy(), port, {
      limits,
      trustedHops,
      scopesFrom,
      ...(heapMib === undefined ? {} : { heapMib }),
    });
    cleanup.add(() => plane.close(0));
    const secrets = {
      findCertificate: ({ name }: ObjectRef) => {
        const found = certificates[name];
        return found && { chain: { text: found.chain }, privateKey: { text: found.privateKey } };
      },
      findAuthorities: () => undefined,
    };
    const problems = await plane.replace(config, secrets);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return port;
  },
};

export const DATA_PLANES: readonly DataPlane[] = [EMBEDDED, ENVOY];
