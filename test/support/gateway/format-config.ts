/** A dataplane configuration as plain data with sorted tables, and as text. */
import type { BackendConfig, ConfigTable, DataplaneConfig } from "../../../src/core/dataplane/gateway-config.ts";
import { formatRef, type ObjectRef } from "../../../src/core/model/refs.ts";

export function plainConfig({ gateways, backends, endpoints, problems }: DataplaneConfig): {
  readonly gateways: unknown;
  readonly backends: Readonly<Record<string, unknown>>;
  readonly endpoints: unknown;
  readonly problems: unknown;
} {
  return { gateways, backends: inOrder(backends), endpoints: inOrder(endpoints), problems };
}

/** The text for golden files: objects by name, uses of backends by id. */
export function formatConfig(config: DataplaneConfig): string {
  const { backends, ...rest } = plainConfig(config);
  const named = new Set<unknown>();
  config.backends.forEach((backend) => named.add(backend));
  const shown = (_: string, value: unknown): unknown => (named.has(value) ? (value as BackendConfig).id : value);
  const plain: unknown = JSON.parse(JSON.stringify(rest, shown));
  return `${print({ ...(plain as object), backends: JSON.parse(JSON.stringify(backends)) as unknown }, "")}\n`;
}

function inOrder<K extends string, V>(table: ConfigTable<K, V>): Readonly<Record<string, V>> {
  const entries: [string, V][] = [];
  table.forEach((value, key) => entries.push([key, value]));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const WIDTH = 120;

/** JSON in which a value that fits on one line is on one line. */
function print(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isRef(value)) return JSON.stringify(formatRef(value));
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => print(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${print(item, inner)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const line = `${open}${parts.join(", ")}${close}`;
  if (line.length + indent.length <= WIDTH && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(",\n")}\n${indent}${close}`;
}

const isRef = (value: object): value is ObjectRef => Object.keys(value).sort().join() === "group,kind,name,namespace";
