import type { Printer } from "./create-printer.ts";
import { API_VERSION } from "./effective-json.ts";
import { formatYaml } from "./format-yaml.ts";

/** Prints a Kubernetes list as JSON or YAML, item by item, so that a long list is never held as one string. */
export function printList(print: Printer, format: "json" | "yaml", kind: string, items: Iterable<object>): void {
  if (format === "yaml") printYaml(print, kind, items);
  else printJson(print, kind, items);
}

function printJson(print: Printer, kind: string, items: Iterable<object>): void {
  print.raw(`{\n  "apiVersion": "${API_VERSION}",\n  "kind": "${kind}",\n  "items": [`);
  let separator = "\n";
  for (const item of items) {
    print.raw(`${separator}    ${JSON.stringify(item, undefined, 2).replaceAll("\n", "\n    ")}`);
    separator = ",\n";
  }
  print.raw(separator === "\n" ? "]\n}\n" : "\n  ]\n}\n");
}

function printYaml(print: Printer, kind: string, items: Iterable<object>): void {
  print.raw(`apiVersion: ${API_VERSION}\nkind: ${kind}\nitems:`);
  let isEmpty = true;
  for (const item of items) {
    print.raw(`${isEmpty ? "\n" : ""}${formatYaml([item])}`);
    isEmpty = false;
  }
  if (isEmpty) print.raw(" []\n");
}
