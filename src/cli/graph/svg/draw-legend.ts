import { type SvgElement, svg } from "../../print/markup/xml-element.ts";
import { COLOURS, type PolicyColour } from "../labels.ts";
import { drawMark } from "./draw.ts";
import { FONT, lettersIn, MARGIN, PAGE_WIDTH } from "./sizes.ts";

const INK = "#5f6368";
const LINE = 15;
const BETWEEN = 18;

interface Item {
  readonly text: string;
  readonly draw: (x: number, y: number) => readonly SvgElement[];
}

const mark = (colour: PolicyColour): Item => ({
  text: `policy ${COLOURS[colour].meaning}`,
  draw: (x, y) => drawMark(colour, { x: x + 8, y }),
});

const sample = (attributes: SvgElement["attributes"], text: string, isFold = false): Item => ({
  text,
  draw: (x, y) => {
    const box = { x, y: y - 5, width: 16, height: 10, rx: 2, fill: "#ffffff", stroke: INK, ...attributes };
    return [...(isFold ? [svg("rect", { ...box, x: x + 2, y: y - 3, fill: "#eceff1" })] : []), svg("rect", box)];
  },
});

/** The meaning of the marks of a drawing. `has` selects those that it has. */
export function legendItems(has: { readonly folds: boolean; readonly absent: boolean }): readonly Item[] {
  return [
    mark("good"),
    mark("partly"),
    mark("bad"),
    {
      text: "from parent to child",
      draw: (x, y) => [
        svg("path", { d: `M${x} ${y}h10`, stroke: INK }),
        svg("path", { d: `M${x + 16} ${y}l-7 -3.5v7z`, fill: INK }),
      ],
    },
    sample({ "stroke-dasharray": "2 3", stroke: "#9aa0a6" }, "namespace"),
    ...(has.folds ? [sample({}, "several objects", true)] : []),
    ...(has.absent ? [sample({ "stroke-dasharray": "4 3" }, "named, but not in the input")] : []),
  ];
}

/** Draws the items of a legend in as few lines as they need, from `top` down. */
export function drawLegend(
  items: readonly Item[],
  top: number,
): { readonly element: SvgElement; readonly height: number } {
  const drawn: SvgElement[] = [];
  let x = MARGIN;
  let y = top + LINE / 2;
  for (const { text, draw } of items) {
    const width = 22 + textWidth(text) + BETWEEN;
    if (x > MARGIN && x + width > PAGE_WIDTH) {
      x = MARGIN;
      y += LINE;
    }
    drawn.push(...draw(x, y), svg("text", { x: x + 22, y: y + 4, fill: INK, "font-size": FONT.small }, text));
    x += width;
  }
  return { element: svg("g", {}, ...drawn), height: y + LINE / 2 - top };
}

/** The usual width of a text of the small font. */
const textWidth = (text: string): number => (text.length * PAGE_WIDTH) / lettersIn(PAGE_WIDTH, "small");

/** Draws sentences below each other, wrapped at spaces. */
export function drawNotes(
  notes: readonly { readonly text: string; readonly colour: string }[],
  top: number,
): { readonly element: SvgElement; readonly height: number } {
  const letters = lettersIn(PAGE_WIDTH - 2 * MARGIN, "small");
  const lines = notes.flatMap(({ text, colour }) => wrap(text, letters).map((line) => ({ line, colour })));
  const texts = lines.map(({ line, colour }, at) =>
    svg("text", { x: MARGIN, y: top + at * LINE + 11, fill: colour, "font-size": FONT.small }, line),
  );
  return { element: svg("g", {}, ...texts), height: lines.length * LINE };
}

function wrap(text: string, letters: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > letters) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
