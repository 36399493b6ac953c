/** Variables in manifests, which a tool replaces before an API server sees them. */
import { valueAtField } from "./field-value.ts";
import type { Finding } from "./finding.ts";
import { isJsonList, isJsonObject, type Json } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import { formatRef } from "./refs.ts";

/** `${NAME}` and `${NAME:-default}` of envsubst and Flux, `$(NAME)` of kustomize. */
const PLACEHOLDER = /\$\{[A-Za-z_]\w*(?::?[-=?+][^}]*)?\}|\$\([A-Za-z_]\w*\)/;

/** The number of values that are searched. */
const MAX_VALUES = 10_000;

/** The first placeholder in the texts of a value. Undefined: there is none. */
export function findPlaceholder(value: Json | undefined): string | undefined {
  let left = MAX_VALUES;
  const open: Json[] = value === undefined ? [] : [value];
  for (let next = open.pop(); next !== undefined && left-- > 0; next = open.pop()) {
    if (typeof next === "string") {
      const found = PLACEHOLDER.exec(next)?.[0];
      if (found !== undefined) return found;
    } else if (isJsonList(next)) open.push(...next.slice(0, left).toReversed());
    else if (isJsonObject(next)) open.push(...Object.values(next).slice(0, left).toReversed());
  }
  return undefined;
}

/** The placeholder in the name or the namespace of an object. Such an object counts as it is written. */
export const placeholderInName = ({ name, family }: KubeObject): string | undefined =>
  // Most names have no dollar sign.
  name.includes("$") || family.namespace.includes("$") ? findPlaceholder([name, family.namespace]) : undefined;

/** A field with a problem, and the placeholder in its value. */
export interface PlaceholderProblem {
  readonly field: string;
  readonly placeholder: string;
}

/**
 * Splits what is wrong with an object: a value with a placeholder is not known, so what is wrong with it is no mistake.
 * `others`: the problems of other values.
 */
export function splitPlaceholders<P extends { readonly field: string }>(
  raw: Json,
  problems: readonly P[],
): { readonly placeholders: readonly PlaceholderProblem[]; readonly others: readonly P[] } {
  const placeholders: PlaceholderProblem[] = [];
  const others: P[] = [];
  for (const problem of problems) {
    const placeholder = findPlaceholder(valueAtField(raw, problem.field));
    if (placeholder === undefined) others.push(problem);
    else placeholders.push({ field: problem.field, placeholder });
  }
  return { placeholders, others };
}

/** One finding for all placeholders of an object. `consequence`: what becomes of the object. */
export function placeholderFinding(
  { id, ref, source }: KubeObject,
  { field, placeholder }: PlaceholderProblem,
  consequence: string,
): Finding {
  return {
    code: "UnreplacedPlaceholder",
    severity: "info",
    object: id,
    field,
    message: `${formatRef(ref)}: ${field === "" ? "the object" : field} has the placeholder ${placeholder}; ${consequence} until it is replaced`,
    ...(source === undefined ? {} : { source }),
  };
}

/** True if placeholders are all that is wrong. */
export const isByPlaceholders = (findings: readonly Finding[]): boolean =>
  findings.some(({ code }) => code === "UnreplacedPlaceholder") &&
  findings.every(({ severity }) => severity !== "error");
