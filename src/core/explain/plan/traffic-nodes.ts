import type { PathNode } from "../../effective/paths/path-node.ts";
import { GATEWAY, GATEWAY_API, SERVICE } from "../../model/kinds.ts";
import { kindId } from "../../model/refs.ts";

/** The nodes of a path whose own traffic changes. Without a route and a backend: the end, such as a Gateway or an object of a kind that a definition adds. */
export function trafficNodes(nodes: readonly PathNode[]): readonly PathNode[] {
  const traffic = nodes.filter(isTraffic);
  return traffic.length > 0 ? traffic : nodes.slice(-1);
}

/** True for nodes whose own traffic changes, false for those that it only passes before. */
const isTraffic = (node: PathNode): boolean =>
  node.kind.endsWith("Route") ||
  kindId(node) === SERVICE ||
  (node.sectionName !== undefined && kindId(node) !== GATEWAY && kindId(node) !== LISTENER_SET);

const LISTENER_SET = kindId({ group: GATEWAY_API, kind: "ListenerSet" });
