/** Prints the listeners of a configuration, one line for each. */
import type { ConfigProblem, DataplaneConfig, ListenerConfig } from "../../core/dataplane/gateway-config.ts";
import { formatRef, type ObjectRef } from "../../core/model/refs.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import type { Column } from "../print/terminal/layout-table.ts";
import { styled } from "../print/terminal/styled-text.ts";

/** The address of an open port, such as `127.0.0.1:8080`. Undefined if the port is not open. */
export type AddressOf = (gateway: ObjectRef, port: number) => string | undefined;

const COLUMNS: readonly Column[] = [
  { header: "LISTENER" },
  { header: "ADDRESS", flexible: true },
  { header: "HOSTNAME", flexible: true },
  { header: "SERVES", optional: 1 },
];

export function printServed({ gateways }: DataplaneConfig, print: Printer, addressOf: AddressOf): void {
  if (gateways.length === 0) print.line("There is no Gateway, so nothing is served.");
  for (const { gateway, ports } of gateways) {
    print.line(styled(formatRef(gateway), "bold"));
    const rows = ports.flatMap((port) =>
      port.listeners.map((listener) => listenerRow(listener, addressOf(gateway, port.port))),
    );
    if (rows.length === 0) print.line("  no usable listener");
    else print.table({ columns: COLUMNS, rows }, { indent: 2 });
  }
}

function listenerRow(listener: ListenerConfig, address: string | undefined): string[] {
  const routes = new Set<string>();
  const rules = new Set<object>();
  for (const { routes: found } of listener.virtualHosts) {
    for (const { rule } of found) {
      routes.add(formatRef(rule.route));
      rules.add(rule);
    }
  }
  return [
    listener.name,
    address === undefined ? "not open" : `${listener.protocol.toLowerCase()}://${address}`,
    listener.hostname ?? "*",
    rules.size === 0 ? "no route" : `${count(rules.size, "rule")} of ${count(routes.size, "route")}`,
  ];
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** `HTTPRoute bakery/baker: spec.rules[0]: …`. */
export const formatProblem = ({ object, field, message }: ConfigProblem): string =>
  `${formatRef(object)}: ${field}: ${message}`;
