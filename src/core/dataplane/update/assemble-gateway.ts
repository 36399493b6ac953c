/** A Gateway with its listeners, and the hosts that routes made at each. */

import { isSameList } from "../../model/collections/is-same-list.ts";
import { compareText } from "../../model/refs.ts";
import { compareHostnames } from "../../routing/hostname-match.ts";
import type { CompiledGateway, CompiledListener } from "../compile/compile-gateway.ts";
import { isDeepEqual } from "../compile/deep-equal.ts";
import type { GatewayConfig, ListenerConfig, PortConfig } from "../gateway-config.ts";
import type { DataplaneDraft } from "./dataplane-draft.ts";

/** `before`: what of it did not change is used again. */
export function assembleGateway(
  { head, listeners }: CompiledGateway,
  draft: DataplaneDraft,
  before: GatewayConfig | undefined,
): GatewayConfig {
  const byPort = new Map<string, CompiledListener[]>();
  for (const listener of listeners) {
    const others = byPort.get(portKey(listener));
    if (others === undefined) byPort.set(portKey(listener), [listener]);
    else others.push(listener);
  }
  const ports = [...byPort]
    .flatMap(([key, found]) =>
      portConfig(
        found,
        draft,
        before?.ports.find((one) => portKey(one) === key),
      ),
    )
    .sort((a, b) => a.port - b.port || compareText(a.protocol, b.protocol));
  const isSame = before !== undefined && isSameList(before.ports, ports) && hasSameHead(before, head);
  return isSame
    ? before
    : { ...head, ports: before !== undefined && isSameList(before.ports, ports) ? before.ports : ports };
}

const hasSameHead = ({ ports: _, ...before }: GatewayConfig, head: CompiledGateway["head"]): boolean =>
  isDeepEqual(before, head);

/** UDP and TCP ports are different ports. */
const portKey = ({ port, protocol }: Pick<PortConfig, "port" | "protocol">): string =>
  `${port} ${protocol === "UDP" ? "UDP" : "TCP"}`;

/** Listeners on one port share its protocol: those that do not were refused. */
function portConfig(
  listeners: readonly CompiledListener[],
  draft: DataplaneDraft,
  before: PortConfig | undefined,
): readonly PortConfig[] {
  const [first] = listeners;
  if (first === undefined) return [];
  const { port, protocol } = first;
  const configs = [...listeners]
    .sort((a, b) => compareHostnames(a.head.hostname, b.head.hostname))
    .map((listener) => listenerConfig(listener, draft));
  const isSame = before !== undefined && before.protocol === protocol && isSameList(before.listeners, configs);
  return [isSame ? before : { port, protocol, listeners: configs }];
}

const NO_HOSTS: ListenerConfig["virtualHosts"] = [];

function listenerConfig({ id, head }: CompiledListener, draft: DataplaneDraft): ListenerConfig {
  const before = draft.listeners.get(id);
  const virtualHosts = draft.hosts.get(id)?.hosts ?? NO_HOSTS;
  if (before !== undefined && before.virtualHosts === virtualHosts) {
    const { virtualHosts: _, ...old } = before;
    if (isDeepEqual(old, head)) return before;
  }
  const config: ListenerConfig = { ...head, virtualHosts };
  draft.listeners.set(id, config);
  return config;
}
