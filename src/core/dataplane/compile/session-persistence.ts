/** Compiles `sessionPersistence` of a rule, or of an XBackendTrafficPolicy. */
import { isJsonObject, type Json, type JsonObject, objectAt } from "../../model/json.ts";
import { parseDurationMs } from "../../model/parse/parse-duration.ts";
import type { ObjectRef } from "../../model/refs.ts";
import type { SessionConfig } from "../gateway-config.ts";
import { nonEmptyText } from "./non-empty-text.ts";

export interface CompiledSession {
  readonly session: SessionConfig;
  /** A setting that is not carried out. Undefined: all are. */
  readonly problem: { readonly field: string; readonly message: string } | undefined;
}

/** Undefined: requests need not go to the same endpoint. `of` names the object, and the rule, that has the setting. */
export function compileSession(settings: Json | undefined, of: ObjectRef, rule?: string): CompiledSession | undefined {
  if (!isJsonObject(settings)) return undefined;
  const { absoluteTimeout, sessionName } = settings;
  const absoluteTimeoutMs = typeof absoluteTimeout === "string" ? parseDurationMs(absoluteTimeout) : undefined;
  const name = (own: Json | undefined): string => nonEmptyText(own) ?? nonEmptyText(sessionName) ?? ownName(of, rule);
  if (settings["type"] === "Header") {
    const header = name(objectAt(settings, "header")["name"]).toLowerCase();
    const problem = header.includes("_") ? { field: "header.name", message: UNDERSCORE } : undefined;
    return { session: { type: "Header", name: header, absoluteTimeoutMs }, problem };
  }
  const cookie = objectAt(settings, "cookie");
  const { path, problem } = cookiePath(cookie);
  const isPermanent = cookie["lifetimeType"] === "Permanent";
  const session = { type: "Cookie", name: name(cookie["name"]), path, isPermanent, absoluteTimeoutMs } as const;
  return { session, problem };
}

const UNDERSCORE =
  "requests with an underscore in the name of a header are refused: clients cannot send the session back";

/** Unique, because names of objects have no underscore. */
const ownName = ({ kind, namespace, name }: ObjectRef, rule: string | undefined): string =>
  ["prevail", kind.toLowerCase(), namespace, name, ...(rule === undefined ? [] : [rule])].join("_");

/** A path that ends the attribute could add others, such as a domain. */
function cookiePath({ path }: JsonObject): Pick<CompiledSession, "problem"> & { readonly path: string } {
  const text = nonEmptyText(path) ?? "/";
  if (/^\/[\x21-\x3a\x3c-\x7e]*$/.test(text)) return { path: text, problem: undefined };
  const message = `${JSON.stringify(text)} is not the path of a cookie: / is used`;
  return { path: "/", problem: { field: "cookie.path", message } };
}
