const strings = [
  String.raw`[rR]"""[\s\S]*?"""`,
  String.raw`[rR]'''[\s\S]*?'''`,
  String.raw`[rR]"[^"\r\n]*"`,
  String.raw`[rR]'[^'\r\n]*'`,
  String.raw`"""(?:\\[\s\S]|[^\\])*?"""`,
  String.raw`'''(?:\\[\s\S]|[^\\])*?'''`,
  String.raw`"(?:\\[^\r\n]|[^"\\\r\n])*"`,
  String.raw`'(?:\\[^\r\n]|[^'\\\r\n])*'`,
];
const token = new RegExp([String.raw`//[^\r\n]*`, ...strings, "[([{]", String.raw`[)\]}]`].join("|"), "g");

/**
 * How deep brackets nest in the text of an expression, before it is parsed: the parser takes some hundred stack frames
 * for each level, and 400 open brackets keep it busy for most of a second.
 */
export function nestingDepth(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [found] of source.matchAll(token)) {
    if (found === "(" || found === "[" || found === "{") deepest = Math.max(deepest, ++depth);
    else if (found === ")" || found === "]" || found === "}") depth--;
  }
  return deepest;
}
