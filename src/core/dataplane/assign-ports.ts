/** The addresses that each Gateway opens, where one machine serves all Gateways. */
import { formatRef, type ObjectRef } from "../model/refs.ts";
import type { GatewayConfig, PortConfig } from "./gateway-config.ts";

export interface PortAddress {
  /** Undefined: all addresses. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface AssignedPort {
  readonly gateway: ObjectRef;
  readonly config: PortConfig;
  readonly address: PortAddress;
}

/** A port that is not served. */
export interface PortProblem {
  readonly gateway: ObjectRef;
  readonly port: number;
  readonly message: string;
}

/** The first Gateway, in the order of the configuration, gets an address that several need. */
export function assignPorts(
  gateways: readonly GatewayConfig[],
  addressOf: (gateway: ObjectRef, port: number) => PortAddress,
): { readonly assigned: readonly AssignedPort[]; readonly conflicts: readonly PortProblem[] } {
  const assigned: AssignedPort[] = [];
  const conflicts: PortProblem[] = [];
  const owners = new Map<string, AssignedPort>();
  for (const { gateway, ports } of gateways) {
    for (const config of ports) {
      const one: AssignedPort = { gateway, config, address: addressOf(gateway, config.port) };
      const owner = one.address.port === 0 ? undefined : owners.get(addressKey(one));
      if (owner !== undefined) {
        conflicts.push(portProblem(one, `is not opened: ${conflictReason(one, owner)}`));
        continue;
      }
      owners.set(addressKey(one), one);
      assigned.push(one);
    }
  }
  return { assigned, conflicts };
}

function conflictReason({ config, address }: AssignedPort, owner: AssignedPort): string {
  const isSame = owner.config.port === config.port;
  const what = isSame ? "the same port" : `${formatAddress(address)} for its port ${owner.config.port}`;
  return `${formatRef(owner.gateway)} uses ${what}; change one of the two`;
}

/** `port 80 (listener http) of Gateway infra/prod` and what is wrong with it. */
export const portProblem = ({ gateway, config }: AssignedPort, what: string): PortProblem => ({
  gateway,
  port: config.port,
  message: `port ${config.port} (listener ${config.listeners.map(({ name }) => name).join(", ")}) of ${formatRef(gateway)} ${what}`,
});

/** Equal for ports that cannot both be open: TCP and UDP do not share ports. */
export const addressKey = ({ config, address }: AssignedPort): string =>
  `${config.protocol === "UDP" ? "UDP" : "TCP"} ${formatAddress(address)}`;

/** `127.0.0.1, port 80`, as users read it. */
export const formatAddress = ({ host, port }: PortAddress): string =>
  host === undefined ? `port ${port}` : `${host}, port ${port}`;
