/** Prints the connected Envoys, their state and the resources that they refused. */
import type { Printer } from "../print/terminal/create-printer.ts";
import type { Column } from "../print/terminal/layout-table.ts";
import type { XdsNode } from "./xds-tools.ts";

const COLUMNS: readonly Column[] = [
  { header: "NODE" },
  { header: "GATEWAY" },
  { header: "STATE", flexible: true },
  { header: "REFUSED" },
];

export function printNodes(nodes: readonly XdsNode[], print: Printer): void {
  if (nodes.length === 0) {
    print.line("No Envoy is connected.");
    return;
  }
  const rows = nodes.map(({ node, gateway, isSettled, waitingFor, refusals }) => [
    node,
    gateway,
    isSettled ? "up to date" : `waiting for ${waitingFor.join("; ") || "its next message"}`,
    String(refusals.length),
  ]);
  print.table({ columns: COLUMNS, rows });
  for (const { node, refusals } of nodes) {
    for (const { type, name, reason } of refusals) {
      print.paragraph({ hanging: 2 }, `${node} refuses ${type} ${name}: ${reason}`);
    }
  }
}
