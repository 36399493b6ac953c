/** The ports of this machine that local Envoys have opened, and which of a new configuration they may open. */
import { formatListenError } from "../../../adapters/sockets/format-listen-error.ts";
import { probePort } from "../../../adapters/sockets/probe-port.ts";
import {
  type AssignedPort,
  addressKey,
  assignPorts,
  formatAddress,
  type PortProblem,
  portProblem,
} from "../../../core/dataplane/assign-ports.ts";
import type { DataplaneConfig, PortConfig } from "../../../core/dataplane/gateway-config.ts";
import { formatRef, type ObjectRef } from "../../../core/model/refs.ts";
import type { ListenerAddress } from "../../compile/backends/compile-load-assignment.ts";

export interface PortClaims {
  /** The part of a configuration whose ports are open already. Other ports of it must be closed before they can be claimed. */
  readonly keep: (config: DataplaneConfig) => { readonly config: DataplaneConfig; readonly hasMoved: boolean };
  /** The part of a configuration whose ports are open already or free, and why the others are not served. */
  readonly claim: (
    config: DataplaneConfig,
  ) => Promise<{ readonly config: DataplaneConfig; readonly problems: readonly PortProblem[] }>;
  /** The ports that Envoys have or may open. */
  readonly claimed: () => readonly AssignedPort[];
}

/** How long to wait for a port that another Envoy of this process is closing. */
const PATIENCE_MS = 5000;
const LOOK_MS = 20;

export function createPortClaims(bind: (gateway: ObjectRef, port: number) => ListenerAddress): PortClaims {
  /** By address: the gateway that has opened it. */
  let held: ReadonlyMap<string, AssignedPort> = new Map();
  const isHeld = (one: AssignedPort): boolean => {
    const before = held.get(addressKey(one));
    return before !== undefined && formatRef(before.gateway) === formatRef(one.gateway);
  };
  const hold = (ports: readonly AssignedPort[]): void => {
    held = new Map(ports.map((one) => [addressKey(one), one]));
  };
  return {
    keep: (config) => {
      const { assigned } = assignPorts(config.gateways, bind);
      const hasMoved = assigned.some((one) => held.has(addressKey(one)) && !isHeld(one));
      return { config: withPorts(config, assigned.filter(isHeld)), hasMoved };
    },
    claim: async (config) => {
      const { assigned, conflicts } = assignPorts(config.gateways, bind);
      const usable: AssignedPort[] = [];
      const problems: PortProblem[] = [...conflicts];
      for (const one of assigned) {
        const wasOurs = held.has(addressKey(one));
        const error = isHeld(one) ? undefined : await probe(one, bind, wasOurs ? PATIENCE_MS : 0);
        if (error === undefined) usable.push(one);
        else {
          const reason = formatListenError(error, formatAddress(one.address));
          problems.push(portProblem(one, `cannot be opened: ${reason}`));
        }
      }
      hold(usable);
      return { config: withPorts(config, usable), problems };
    },
    claimed: () => [...held.values()],
  };
}

async function probe(
  { gateway, config }: AssignedPort,
  bind: (gateway: ObjectRef, port: number) => ListenerAddress,
  patienceMs: number,
): Promise<Error | undefined> {
  const transport = config.protocol === "UDP" ? "UDP" : "TCP";
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const error = await probePort(bind(gateway, config.port), transport);
    if (error === undefined || performance.now() > deadline) return error;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Gateways that keep all their ports stay the same object. */
function withPorts(config: DataplaneConfig, ports: readonly AssignedPort[]): DataplaneConfig {
  const kept = new Set<PortConfig>(ports.map((one) => one.config));
  const gateways = config.gateways.map((gateway) =>
    gateway.ports.every((port) => kept.has(port))
      ? gateway
      : { ...gateway, ports: gateway.ports.filter((port) => kept.has(port)) },
  );
  return { ...config, gateways };
}
