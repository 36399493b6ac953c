import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { parseSelector } from "../model/parse/parse-selector.ts";
import type { LabelSelector } from "../model/policy.ts";
import { formatSelector, matchesSelector } from "./matches-selector.ts";

/** The namespaces that a listener's `allowedRoutes.namespaces` or a Gateway's `allowedListeners.namespaces` allows. */
export type AllowedNamespaces =
  | { readonly from: "All" | "Same" | "None" }
  | { readonly from: "Selector"; readonly selector: LabelSelector }
  /** `from: Selector` without a readable selector allows no namespace. */
  | { readonly from: "Unreadable"; readonly problem: string };

/** Reads `{from, selector}`. */
export function allowedNamespaces(value: Json | undefined, byDefault: "Same" | "None"): AllowedNamespaces {
  const from = isJsonObject(value) ? (value["from"] ?? byDefault) : byDefault;
  if (from === "All" || from === "Same" || from === "None") return { from };
  if (from !== "Selector") return { from: "Unreadable", problem: "its namespaces.from has an unknown value" };
  const selector = isJsonObject(value) ? (value["selector"] ?? undefined) : undefined;
  if (selector === undefined) return { from: "Unreadable", problem: "its namespaces.selector is missing" };
  const parsed = parseSelector(selector);
  if (parsed.ok) return { from, selector: parsed.selector };
  const field = parsed.field === "" ? "" : `.${parsed.field}`;
  return { from: "Unreadable", problem: `its namespaces.selector${field} ${parsed.message}` };
}

/**
 * allowedRoutes.namespaces: All, Same, None or a selector
 *
 * `from: Same` allows the namespace of the Gateway or ListenerSet itself (`own`), `from: Selector` every namespace whose labels
 * match. `labels` are those of namespace `other`.
 * Gateway API, "RouteNamespaces"
 */
export function isNamespaceAllowed(
  allowed: AllowedNamespaces,
  own: string,
  other: string,
  labels: JsonObject,
): boolean {
  switch (allowed.from) {
    case "All":
      return true;
    case "Same":
      return own === other;
    case "Selector":
      return matchesSelector(allowed.selector, labels);
    case "None":
    case "Unreadable":
      return false;
  }
}

/** A namespace that is not allowed, and whether its labels are known: its object may not be in the input. */
export interface OtherNamespace {
  readonly name: string;
  readonly hasKnownLabels: boolean;
}

/** The predicate of a sentence about the listener or Gateway: `accepts routes from namespace 'infra' only`. */
export function formatAllowed(allowed: AllowedNamespaces, own: string, other: OtherNamespace, what: string): string {
  switch (allowed.from) {
    case "All":
      return `accepts ${what} from all namespaces`;
    case "Same":
      return `accepts ${what} from namespace '${own}' only`;
    case "Selector": {
      const reason = other.hasKnownLabels
        ? `which '${other.name}' does not have`
        : `and the labels of '${other.name}' are not known`;
      return `accepts ${what} only from namespaces with labels ${formatSelector(allowed.selector)}, ${reason}`;
    }
    case "None":
      return `accepts no ${what}`;
    case "Unreadable":
      return `accepts no ${what}: ${allowed.problem}`;
  }
}
