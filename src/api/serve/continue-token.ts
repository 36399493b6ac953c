/** A token that says where the next page of a list begins: after the last object that the user has seen, so it has nothing that is new to them. */
import { isJsonObject, type Json, ownValue, textsIn } from "../../core/model/json.ts";
import type { ViewPosition } from "../read/list-views.ts";

export const formatContinue = ({ namespace, name }: ViewPosition): string =>
  Buffer.from(JSON.stringify({ v: 1, after: [namespace, name] })).toString("base64url");

/** Undefined if it is not a token of ours. */
export function parseContinue(token: string): ViewPosition | undefined {
  try {
    const value = JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as Json;
    if (!isJsonObject(value) || value["v"] !== 1) return undefined;
    const [namespace, name] = textsIn(ownValue(value, "after"));
    return namespace === undefined || name === undefined ? undefined : { namespace, name };
  } catch {
    return undefined;
  }
}
