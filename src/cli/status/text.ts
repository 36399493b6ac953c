import type { KindNames } from "../../core/effective/findings/kind-names.ts";
import { formatRef, type ObjectId, parseObjectId } from "../../core/model/refs.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import type {
  AncestorRef,
  Condition,
  PolicyStatus,
  StatusLocation,
  TargetStatus,
} from "../../core/status/status-report.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { glued, type Style, styled } from "../print/terminal/styled-text.ts";

export interface StatusText {
  readonly print: Printer;
  readonly source: LoadedSource;
  readonly names: KindNames;
  readonly shown: (conditions: readonly Condition[]) => readonly Condition[];
}

/** Prints each object with its conditions, below the ancestor, listener or parent that they are about. */
export function printStatus(
  policies: readonly PolicyStatus[],
  targets: readonly TargetStatus[],
  { print, source, shown, names: { kindName, inText } }: StatusText,
): void {
  let last: ObjectId | undefined;
  const head = (object: ObjectId): void => {
    if (object === last) return;
    if (last !== undefined) print.line();
    last = object;
    const at = source.locate(object);
    const ref = parseObjectId(object);
    print.line(
      styled(formatRef({ ...ref, kind: kindName(ref) }), "bold"),
      ...(at === undefined ? [] : ["  ", styled(formatLine(at), "dim")]),
    );
  };
  for (const { policy, ancestors, conditions } of policies) {
    head(policy);
    const named = (written: readonly Condition[]): readonly Condition[] =>
      shown(written).map((one) => ({ ...one, message: inText(one.message, [parseObjectId(policy)]) }));
    if (conditions !== undefined) printConditions(print, named(conditions), 2);
    else if (ancestors.length === 0) print.line("  no ancestor");
    for (const { ancestorRef, conditions: at } of ancestors) {
      print.line(`  at ${formatAncestor(ancestorRef)}`);
      printConditions(print, named(at), 4);
    }
  }
  for (const { object, location, conditions } of targets) {
    head(object);
    const words = formatLocation(location, object);
    if (words !== undefined) print.line(`  ${words}`);
    printConditions(print, shown(conditions), words === undefined ? 2 : 4);
  }
}

function printConditions(print: Printer, conditions: readonly Condition[], indent: number): void {
  for (const { type, status, reason, message } of conditions)
    print.paragraph(
      { indent, hanging: 2 },
      styled(glued(`${type}=${status}/${reason}`), colourOf(type, status)),
      `: ${message}`,
    );
}

/** Conditions that are True where something is wrong. */
const WRONG_IF_TRUE: ReadonlySet<string> = new Set([
  "Conflicted",
  "OverlappingTLSConfig",
  "PartiallyInvalid",
  "InsecureFrontendValidationMode",
]);

function colourOf(type: string, status: Condition["status"]): Style {
  if (status === "Unknown") return "yellow";
  return (status === "True") === WRONG_IF_TRUE.has(type) ? "red" : "green";
}

const formatAncestor = ({ sectionName, namespace = "", ...ref }: AncestorRef): string =>
  formatRef({ ...ref, namespace }, sectionName);

/** Undefined: the object's own conditions. */
function formatLocation(location: StatusLocation, object: ObjectId): string | undefined {
  switch (location.at) {
    case "Conditions":
      return undefined;
    case "Listener":
      return `listener ${location.name}`;
    case "Parent":
      return `below ${formatParent(location.parentRef, object)}`;
    case "Annotations":
      return "as annotations";
  }
}

function formatParent(ref: Extract<StatusLocation, { readonly at: "Parent" }>["parentRef"], route: ObjectId): string {
  const text = (key: string): string | undefined => {
    const value = ref[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const parent = {
    group: text("group") ?? "",
    kind: text("kind") ?? "Gateway",
    namespace: text("namespace") ?? parseObjectId(route).namespace,
    name: text("name") ?? "",
  };
  const port = typeof ref["port"] === "number" ? `, port ${ref["port"]}` : "";
  return `${formatRef(parent, text("sectionName"))}${port}`;
}
