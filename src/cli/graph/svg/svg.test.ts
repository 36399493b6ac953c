/** What a reader of the drawing relies on: it fits on a page, lines arrive at boxes and cross none, and nothing overlaps. */
import { describe, expect, test } from "vitest";
import { runCli } from "../../../../test/support/cli/run-cli.ts";
import { manyRoutes, manyTeams } from "../../../../test/support/cluster/many-routes.ts";

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
}

type Point = readonly [x: number, y: number];

interface ReadDrawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Rectangle[];
  readonly lines: readonly (readonly Point[])[];
  readonly arrows: readonly Point[];
}

const numbers = (text: string): readonly number[] => [...text.matchAll(/-?\d+(?:\.\d+)?/g)].map(([one]) => Number(one));

const BOX =
  /<g transform="translate\(([\d. ]+)\)">\s*<title>([^<]*)<\/title>\s*<rect width="([\d.]+)" height="([\d.]+)"[^>]*>/g;

/** Reads boxes and lines back from the text of a drawing. */
function readDrawing(text: string): ReadDrawing {
  const [width = 0, height = 0] = numbers(/viewBox="0 0 ([^"]*)"/.exec(text)?.[1] ?? "");
  const boxes = [...text.matchAll(BOX)].map(([, at = "", title = "", boxWidth, boxHeight]) => {
    const [x = 0, y = 0] = numbers(at);
    return { x, y, width: Number(boxWidth), height: Number(boxHeight), title };
  });
  const lines = [...text.matchAll(/<path d="(M[^"]*)" fill="none"/g)].flatMap(([, d = ""]) =>
    d
      .split("M")
      .slice(1)
      .map((line) =>
        line.split("L").map((corner): Point => {
          const [x = 0, y = 0] = numbers(corner);
          return [x, y];
        }),
      ),
  );
  const arrows = [...text.matchAll(/<path d="(M[^"]*z)" fill="#[0-9a-f]{6}"\/>/g)].flatMap(([, d = ""]) =>
    [...d.matchAll(/M(-?[\d.]+) (-?[\d.]+)l-7/g)].map(([, x, y]): Point => [Number(x), Number(y)]),
  );
  return { width, height, boxes, lines, arrows };
}

/** True if a part of the line between two corners is inside a rectangle. Lines are horizontal or vertical. */
function crosses([x1, y1]: Point, [x2, y2]: Point, { x, y, width, height }: Rectangle): boolean {
  return (
    Math.min(x1, x2) < x + width - 0.5 &&
    Math.max(x1, x2) > x + 0.5 &&
    Math.min(y1, y2) < y + height - 0.5 &&
    Math.max(y1, y2) > y + 0.5
  );
}

const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const isOutside = ({ x, y, width, height }: Rectangle, page: ReadDrawing): boolean =>
  x < 0 || y < 0 || x + width > page.width || y + height > page.height;

/** What is wrong with one line: it must lead from a border to a left border, in right angles, without crossing a box. */
function lineProblems(line: readonly Point[], boxes: readonly Rectangle[]): readonly string[] {
  const isOn = (point: Point | undefined, side: (box: Rectangle) => number): boolean =>
    boxes.some(
      (box) =>
        point !== undefined &&
        Math.abs(side(box) - point[0]) < 0.5 &&
        point[1] > box.y &&
        point[1] < box.y + box.height,
    );
  const left = ({ x }: Rectangle): number => x;
  const right = ({ x, width }: Rectangle): number => x + width;
  const [start, end] = [line[0], line.at(-1)];
  return [
    ...(isOn(end, left) ? [] : [`${line.join(" ")} does not arrive at a box`]),
    ...(isOn(start, left) || isOn(start, right) ? [] : [`${line.join(" ")} does not begin at a box`]),
    ...line.slice(1).flatMap((corner, index) => {
      const before = line[index] ?? corner;
      const hit = boxes.find((box) => crosses(before, corner, box));
      const isStraight = before[0] === corner[0] || before[1] === corner[1];
      return hit === undefined && isStraight
        ? []
        : [`${before.join(",")} to ${corner.join(",")} crosses ${hit?.title}`];
    }),
  ];
}

function expectReadable(text: string): ReadDrawing {
  const drawing = readDrawing(text);
  const { width, boxes, lines } = drawing;
  expect(width).toBe(1000);
  expect(boxes.filter((box) => isOutside(box, drawing))).toEqual([]);
  expect(boxes.filter((box, at) => boxes.slice(at + 1).some((other) => overlap(box, other)))).toEqual([]);
  expect(lines.flatMap((line) => lineProblems(line, boxes))).toEqual([]);
  return drawing;
}

/** The route of a Service is below it, and Services are below the route: kinds are above each other in both directions. */
const mesh = [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "front", namespace: "m" },
    spec: { ports: [{ name: "http", port: 80 }] },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "back", namespace: "m" },
    spec: { ports: [{ name: "http", port: 80 }] },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "r", namespace: "m" },
    spec: {
      parentRefs: [{ group: "", kind: "Service", name: "front" }],
      rules: [{ backendRefs: [{ name: "back", port: 80 }] }],
    },
  },
  {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "RetryPolicy",
    metadata: { name: "p", namespace: "m" },
    spec: { targetRefs: [{ group: "", kind: "Service", name: "back" }], defaults: { retry: { attempts: 1 } } },
  },
]
  .map((object) => JSON.stringify(object))
  .join("\n---\n");

const drawn = async (line: string, text?: string): Promise<string> =>
  (await runCli(`graph -o svg ${line}`, text === undefined ? {} : { files: { "all.yaml": text } })).stdout;

describe("a drawing fits on a page, and its lines arrive", () => {
  test.each([
    ["the bakery", "-f examples/bakery", undefined],
    ["the bakery with everything", "--sections --lone --no-fold -f examples/bakery", undefined],
    ["one rule of it", "httproute/baker#order -f examples/bakery", undefined],
    ["200 routes", "-f all.yaml", manyRoutes(200)],
    ["60 routes, not folded, with sections", "--no-fold --sections -f all.yaml", manyRoutes(60)],
    ["200 routes of ten teams", "-f all.yaml", manyTeams(10, 20)],
    ["200 routes of ten teams, not folded", "--no-fold --sections -f all.yaml", manyTeams(10, 20)],
    ["a mesh", "-f all.yaml", mesh],
  ])("%s", async (_name, line, text) => {
    const { boxes, lines, arrows } = expectReadable(await drawn(line, text));
    expect(boxes.length).toBeGreaterThan(1);
    expect(lines.length).toBeGreaterThan(0);
    // The arrow of the legend is one more.
    expect(arrows.length).toBe(lines.length + 1);
  });
});

describe("200 routes are readable", () => {
  test("those without policies are one node with their number, and the drawing is one screen high", async () => {
    const text = await drawn("-f all.yaml", manyRoutes(200));
    expect(text).toContain(">100 HTTPRoutes</text>");
    expect(readDrawing(text).height).toBeLessThan(800);
    expect(text).toContain(
      "Folded: 100 HTTPRoutes and 400 Services into 3 nodes, as they have no policies of their own",
    );
  });

  test("every policy of every team has its line, and namespaces are framed", async () => {
    const text = await drawn("-f all.yaml", manyTeams(10, 20));
    expect([...text.matchAll(/>namespace team-\d+<\/text>/g)]).toHaveLength(10);
    expect([...text.matchAll(/>RetryPolicy p\d+[:<]/g)].length).toBeGreaterThanOrEqual(40);
  });
});

test("the legend explains what the drawing has", async () => {
  const text = await drawn("-f examples/bakery");
  for (const meaning of [
    "policy takes effect",
    "policy takes effect partly, or not known",
    "policy does not take effect",
    "from parent to child",
    "namespace",
  ])
    expect(text).toContain(`>${meaning}</text>`);
  expect(text).not.toContain(">several objects</text>");
  expect(await drawn("-f all.yaml", manyRoutes(20))).toContain(">several objects</text>");
});

test("what was asked for is marked", async () => {
  const text = await drawn("httproute/baker -f examples/bakery");
  expect([...text.matchAll(/stroke="#1a56db" stroke-width="2"/g)]).toHaveLength(1);
});
