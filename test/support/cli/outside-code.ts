/** What a Markdown text has outside of code blocks and code spans (CommonMark, "Fenced code blocks" and "Code spans"). */
export function outsideCode(markdown: string): string {
  const outside: string[] = [];
  let fence: number | undefined;
  for (const line of markdown.split("\n")) {
    const [, ticks = "", info = ""] = /^ {0,3}(`{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined && ticks !== "" && !info.includes("`")) fence = ticks.length;
    else if (fence === undefined) outside.push(withoutSpans(line));
    else if (ticks.length >= fence && info.trim() === "") fence = undefined;
  }
  if (fence !== undefined) throw new Error("a code block is not closed");
  return outside.join("\n");
}

/** A run of backticks is closed by the next run of the same length; one that is not closed is text. */
function withoutSpans(line: string): string {
  let rest = line;
  let text = "";
  for (let open = /`+/.exec(rest); open !== null; open = /`+/.exec(rest)) {
    const [run] = open;
    const after = rest.slice(open.index + run.length);
    const close = [...after.matchAll(/`+/g)].find(([other]) => other.length === run.length);
    text += rest.slice(0, open.index) + (close === undefined ? run : "");
    rest = close === undefined ? after : after.slice(close.index + run.length);
  }
  return text + rest;
}
