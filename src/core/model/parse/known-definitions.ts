/** Parsed definitions, kept: consecutive evaluations mostly have the same few definitions. */
import type { PolicyDefinition } from "../definition.ts";
import { ownValue } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";

/** By their text, and not by the object: that may have been changed in place since. */
const known = new Map<string, PolicyDefinition>();
const MAX_KNOWN = 256;
const MAX_LENGTH = 16_384;

/** All that a definition is read from. Undefined: too much to keep, or what has no text, as a bigint among plain data. */
export function definitionText({ apiVersion, name, raw }: KubeObject): string | undefined {
  try {
    const text = JSON.stringify([apiVersion, name, ownValue(raw, "spec") ?? null]);
    return text.length <= MAX_LENGTH ? text : undefined;
  } catch {
    return undefined;
  }
}

export const findKnownDefinition = (text: string | undefined): PolicyDefinition | undefined =>
  text === undefined ? undefined : known.get(text);

export function keepDefinition(text: string | undefined, definition: PolicyDefinition): void {
  if (text === undefined) return;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, definition);
}
