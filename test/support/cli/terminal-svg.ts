import { type SvgElement, svg } from "../../../src/cli/print/markup/xml-element.ts";
import { widthOf } from "../../../src/cli/print/terminal/styled-text.ts";

const CHARACTER = 8.4;
const LINE = 20;
const MARGIN = 24;
const BAR = 36;

interface Run {
  readonly text: string;
  readonly column: number;
  readonly style: string | undefined;
}

/** An SVG picture of a terminal with this output, colours included. */
export function terminalSvg(output: string, { columns, title }: { columns: number; title: string }): SvgElement {
  const lines = output.trimEnd().split("\n");
  const width = Math.ceil(columns * CHARACTER) + 2 * MARGIN;
  const height = BAR + lines.length * LINE + MARGIN;
  const size = { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` };
  return svg(
    "svg",
    { ...size, role: "img", "aria-label": title },
    svg("style", {}, STYLES),
    svg("rect", { class: "window", width, height, rx: 8 }),
    ...["#ff5f57", "#febc2e", "#28c840"].map((fill, index) =>
      svg("circle", { cx: 22 + index * 20, cy: BAR / 2, r: 6, fill }),
    ),
    ...lines.flatMap((line, row) => runsOf(line).map((run) => textOf(run, BAR + row * LINE + 15))),
  );
}

const STYLES = [
  ".window{fill:#1c1f26}",
  "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d5d9e0;white-space:pre}",
  ".bold{font-weight:bold;fill:#fff}",
  ".dim{fill:#8b93a1}",
  ".red{fill:#ff7b72}",
  ".green{fill:#7ee787}",
  ".yellow{fill:#e3b341}",
  ".cyan{fill:#79c0ff}",
  ".strong{font-weight:bold;fill:#56f27a}",
].join("");

/** Fixes the width of a text, so that columns align in every font. */
function textOf({ text, column, style }: Run, y: number): SvgElement {
  const position = { x: round(MARGIN + column * CHARACTER), y, textLength: round(widthOf(text) * CHARACTER) };
  const look = { ...(style === undefined ? {} : { class: style }), "xml:space": "preserve" };
  return svg("text", { ...position, ...look }, text);
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** The escape sequences that create-printer.ts writes: one style at a time. `strong` is bold and green. */
const STYLE_OF: Readonly<Record<string, string | undefined>> = {
  "1": "bold",
  "1;32": "strong",
  "22;39": undefined,
  "2": "dim",
  "22": undefined,
  "31": "red",
  "32": "green",
  "33": "yellow",
  "36": "cyan",
  "39": undefined,
};

function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let column = 0;
  for (const { text: part, style } of styledParts(line)) {
    const text = part.trimStart();
    if (text !== "") runs.push({ text: text.trimEnd(), column: column + part.length - text.length, style });
    column += widthOf(part);
  }
  return runs;
}

function styledParts(line: string): readonly { readonly text: string; readonly style: string | undefined }[] {
  const [plain = "", ...others] = line.split("\u001b[");
  const styled = others.map((part) => {
    const [, code = "", text = ""] = /^([\d;]+)m(.*)$/.exec(part) ?? [];
    if (!Object.hasOwn(STYLE_OF, code)) throw new Error(`no style for what the terminal gets: ${JSON.stringify(part)}`);
    return { text, style: STYLE_OF[code] };
  });
  return [{ text: plain, style: undefined }, ...styled];
}
