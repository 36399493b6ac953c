import { formatRef } from "../../model/refs.ts";
import type { PathNode } from "./path-node.ts";

/** `GatewayClass house > Gateway infra/prod > listener http > …`, root first. */
export function formatPath(path: readonly PathNode[], from?: string): string {
  const nodes = path.map((node, index) => {
    const above = path[index - 1];
    const isBelowOwner = node.sectionName !== undefined && above?.kind === node.kind && above.name === node.name;
    return isBelowOwner ? `#${node.sectionName}` : formatRef(node, node.sectionName);
  });
  return `${from === undefined ? "" : `traffic from ${from} > `}${nodes.join(" > ")}`.replaceAll(" > #", "#");
}

/** The end of the path, and the route and rule on it. */
export function formatTarget(path: readonly PathNode[]): string {
  const end = path.at(-1);
  const rule = path.findLast(({ kind, sectionName }) => kind.endsWith("Route") && sectionName !== undefined);
  if (end === undefined) return "an unknown target";
  const shown = formatRef(end, end.sectionName);
  return rule === undefined || rule === end ? shown : `${shown} behind ${formatRef(rule, rule.sectionName)}`;
}
