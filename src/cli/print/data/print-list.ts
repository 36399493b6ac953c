import type { Caveat } from "../../../core/caveats/caveat.ts";
import { caveatsJson } from "../../caveats/json.ts";
import { formatYaml } from "../markup/format-yaml.ts";
import type { Printer } from "../terminal/create-printer.ts";
import { API_VERSION } from "./effective-json.ts";

/** A Kubernetes list. */
export interface PrintedList {
  /** The default is that of Prevail's own kinds. */
  readonly apiVersion?: string;
  readonly kind: string;
  readonly items: Iterable<object>;
  /** Facts that the list leaves out of account. */
  readonly caveats: readonly Caveat[];
}

/** Prints a list as JSON or YAML, item by item, so that a long list is never held as one string. */
export function printList(print: Printer, format: "json" | "yaml", list: PrintedList): void {
  if (format === "yaml") printYaml(print, list);
  else printJson(print, list);
}

function printJson(print: Printer, { apiVersion = API_VERSION, kind, items, caveats }: PrintedList): void {
  print.raw(`{\n  "apiVersion": "${apiVersion}",\n  "kind": "${kind}",\n  "items": [`);
  let separator = "\n";
  for (const item of items) {
    print.raw(`${separator}    ${JSON.stringify(item, undefined, 2).replaceAll("\n", "\n    ")}`);
    separator = ",\n";
  }
  const after = JSON.stringify(caveatsJson(caveats), undefined, 2).replaceAll("\n", "\n  ");
  print.raw(`${separator === "\n" ? "]" : "\n  ]"},\n  "caveats": ${after}\n}\n`);
}

function printYaml(print: Printer, { apiVersion = API_VERSION, kind, items, caveats }: PrintedList): void {
  print.raw(`apiVersion: ${apiVersion}\nkind: ${kind}\nitems:`);
  let isEmpty = true;
  for (const item of items) {
    print.raw(`${isEmpty ? "\n" : ""}${formatYaml([item])}`);
    isEmpty = false;
  }
  if (isEmpty) print.raw(" []\n");
  print.raw(formatYaml({ caveats: caveatsJson(caveats) }));
}
