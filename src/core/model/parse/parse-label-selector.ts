import type { LabelRequirement, LabelSelector } from "../policy.ts";

export type ParsedLabelSelector =
  | { readonly ok: true; readonly selector: LabelSelector }
  | { readonly ok: false; readonly message: string };

const KEY = "[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?";
const VALUE = "[-A-Za-z0-9_.]*";
const EQUAL = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*(${VALUE})$`);
const IN = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EXISTS = new RegExp(`^(!?)\\s*(${KEY})$`);

/** Parses a label selector with the syntax of kubectl: `team=bread,tier!=test,env in (prod,stage),!legacy`. */
export function parseLabelSelector(text: string): ParsedLabelSelector {
  const requirements: LabelRequirement[] = [];
  for (const part of splitOutside(text)) {
    const requirement = parseRequirement(part.trim());
    if (requirement === undefined) {
      const message = `'${part.trim()}'; a label is selected as key=value, key!=value, key in (a,b), key notin (a,b), key or !key`;
      return { ok: false, message };
    }
    requirements.push(requirement);
  }
  return { ok: true, selector: { matchLabels: [], matchExpressions: requirements } };
}

/** Splits at commas that are not in parentheses. */
const splitOutside = (text: string): readonly string[] => text.split(/,(?![^(]*\))/);

function parseRequirement(part: string): LabelRequirement | undefined {
  const [, key, operator, value] = EQUAL.exec(part) ?? [];
  if (key !== undefined && value !== undefined)
    return { key, operator: operator === "!=" ? "NotIn" : "In", values: [value] };
  const [, set, word, list] = IN.exec(part) ?? [];
  if (set !== undefined && list !== undefined)
    return { key: set, operator: word === "in" ? "In" : "NotIn", values: list.split(",").map((item) => item.trim()) };
  const [, not, alone] = EXISTS.exec(part) ?? [];
  if (alone !== undefined) return { key: alone, operator: not === "!" ? "DoesNotExist" : "Exists", values: [] };
  return undefined;
}
