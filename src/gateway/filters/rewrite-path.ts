import type { PathModifier } from "../../core/dataplane/gateway-config.ts";

/**
 * Path modifiers
 *
 * `ReplaceFullPath` replaces the whole path. `ReplacePrefixMatch` replaces the path elements that the match's prefix covers. The result
 * always begins with a slash.
 * Gateway API, "HTTPPathModifier"
 */
export function rewritePath(path: string, change: PathModifier): string {
  if (change.type === "ReplaceFullPath") return formatPath(change.path);
  const prefix = change.prefix.replace(/\/$/, "");
  const replacement = change.path.replace(/\/$/, "");
  return formatPath(`${replacement}${path.slice(prefix.length)}`);
}

/** Percent-encodes the characters that a request line cannot contain. */
function formatPath(path: string): string {
  const text = path.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return text.startsWith("/") ? text : `/${text}`;
}
