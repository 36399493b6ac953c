/** The query of a list. Kubernetes, API Concepts: selectors, "Retrieving large results sets in chunks" */
import { parseLabelSelector } from "../../core/model/parse/parse-label-selector.ts";
import { matchesSelector } from "../../core/topology/matches-selector.ts";
import type { ListViewsOptions } from "../read/list-views.ts";
import { parseContinue } from "./continue-token.ts";

export type ListQuery = Pick<ListViewsOptions, "limit" | "after" | "isSelected">;

type SelectableObject = Parameters<ListQuery["isSelected"]>[0];

/** Returns what is wrong with the query as a text. */
export function parseListQuery(query: URLSearchParams): ListQuery | string {
  const limit = parseLimit(query.get("limit"));
  if (typeof limit === "string") return limit;
  const token = query.get("continue");
  const after = token === null || token === "" ? undefined : parseContinue(token);
  if (token !== null && token !== "" && after === undefined)
    return "continue is not a token of this API: list from the beginning";
  const byLabel = parseLabels(query.get("labelSelector"));
  if (typeof byLabel === "string") return byLabel;
  const byField = parseFields(query.get("fieldSelector"));
  if (typeof byField === "string") return byField;
  return {
    limit: limit === 0 ? undefined : limit,
    after,
    isSelected: (object) => byLabel(object) && byField(object),
  };
}

function parseLimit(text: string | null): number | string {
  if (text === null || text === "") return 0;
  return /^\d{1,9}$/.test(text) ? Number(text) : `limit is '${text}': it must be a number that is not negative`;
}

type Selects = ListQuery["isSelected"];

function parseLabels(text: string | null): Selects | string {
  if (text === null || text.trim() === "") return () => true;
  const parsed = parseLabelSelector(text);
  if (!parsed.ok) return `labelSelector has ${parsed.message}`;
  return ({ labels }) => matchesSelector(parsed.selector, labels);
}

const FIELDS: Readonly<Record<string, (object: SelectableObject) => string>> = {
  "metadata.name": ({ name }) => name,
  "metadata.namespace": ({ namespace }) => namespace,
};

function parseFields(text: string | null): Selects | string {
  if (text === null || text.trim() === "") return () => true;
  const terms: Selects[] = [];
  for (const term of text.split(",")) {
    const [, field = "", operator = "", value = ""] = /^([^=!]+?)\s*(==|=|!=)\s*(.*)$/.exec(term.trim()) ?? [];
    const read = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (read === undefined)
      return `fieldSelector has '${term.trim()}'; there are ${Object.keys(FIELDS).join(" and ")}, with =, == or !=`;
    terms.push((object) => (read(object) === value) === (operator !== "!="));
  }
  return (object) => terms.every((isMet) => isMet(object));
}
