import { parseScope, type Scope } from "../target/find-targets.ts";
import type { OptionValues } from "./option.ts";
import { parseRedaction, type Redaction } from "./redaction.ts";

/** The scope that the options select, and the redaction. */
export interface VisibleScope {
  readonly scope: Scope;
  readonly redaction: Redaction;
}

export type ParsedVisibleScope =
  | { readonly ok: true; readonly view: VisibleScope }
  | { readonly ok: false; readonly message: string };

export function parseVisibleScope(options: OptionValues): ParsedVisibleScope {
  const scope = parseScope(options);
  if (!scope.ok) return scope;
  const redaction = parseRedaction(options);
  if (!redaction.ok) return redaction;
  return { ok: true, view: { scope: scope.scope, redaction: redaction.redaction } };
}
