/** A token that says where the next page of a list begins: after the last object that the user has seen, so it has nothing that is new to them. */
import type { ViewPosition } from "../read/list-views.ts";

export const formatContinue = ({ namespace, name }: ViewPosition): string =>
  Buffer.from(JSON.stringify({ v: 1, after: [namespace, name] })).toString("base64url");

/** Undefined if it is not a token of ours. */
export function parseContinue(token: string): ViewPosition | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (typeof value !== "object" || value === null || !("v" in value) || value.v !== 1 || !("after" in value))
      return undefined;
    const [namespace, name] = textsIn(value.after);
    return namespace === undefined || name === undefined ? undefined : { namespace, name };
  } catch {
    return undefined;
  }
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
