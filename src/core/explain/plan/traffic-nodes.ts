import type { PathNode } from "../../effective/paths/path-node.ts";

/** The nodes of a path whose own traffic changes. Without a route and a backend: the end, such as a Gateway or an object of a kind that a definition adds. */
export function trafficNodes(nodes: readonly PathNode[]): readonly PathNode[] {
  const traffic = nodes.filter(isTraffic);
  return traffic.length > 0 ? traffic : nodes.slice(-1);
}

/** True for nodes whose own traffic changes, false for those that it only passes before. */
const isTraffic = ({ kind, sectionName }: PathNode): boolean =>
  kind.endsWith("Route") ||
  kind === "Service" ||
  (sectionName !== undefined && kind !== "Gateway" && kind !== "ListenerSet");
