/**
 * The six RetryOnPolicy tables that the reference page and GEP-713 (experimental) have in common, cell by cell.
 * A cell names the policy that prevails; the two pages differ only in where the HTTPRoute keeps its own value.
 */
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/model/json.ts";
import { type Cluster, cluster } from "./cluster.ts";
import { gateway, policy } from "./gateway-objects.ts";

type RetryOnLevel = "Namespace" | "Gateway" | "HTTPRoute";

/** What a row or a column puts into the cluster: nothing, or a policy at a level. */
interface RetryOnPolicy {
  readonly label: string;
  readonly level: RetryOnLevel;
  readonly block: "defaults" | "overrides";
}

interface RetryOnTable {
  readonly name: string;
  readonly ownValue: boolean;
  readonly cells: readonly RetryOnCell[];
}

interface RetryOnCell {
  readonly name: string;
  readonly row: RetryOnPolicy | undefined;
  readonly column: RetryOnPolicy | undefined;
  /** The label of the policy that prevails, `Empty list`, `Value`, or that age and then the name decide. */
  readonly prevails: string;
}

const levels: readonly RetryOnLevel[] = ["Namespace", "Gateway", "HTTPRoute"];

interface Axis {
  readonly block: RetryOnPolicy["block"];
  /** Distinguishes the two policies where rows and columns hold the same block. */
  readonly suffix: string;
  readonly none: string;
}

/** "first created wins, otherwise first alphabetically". */
const firstCreated = "first created wins";

function table(
  name: string,
  ownValue: boolean,
  rows: Axis,
  columns: Axis,
  matrix: readonly (readonly string[])[],
): RetryOnTable {
  const axis = ({ block, suffix, none }: Axis) => [
    { title: none, policy: undefined },
    ...levels.map((level) => {
      const label = `${level} ${block === "defaults" ? "default" : "override"}${suffix}`;
      return { title: label, policy: { label, level, block } };
    }),
  ];
  const cells = axis(rows).flatMap((row, y) =>
    axis(columns).map((column, x) => ({
      name: `${row.title} × ${column.title}`,
      row: row.policy,
      column: column.policy,
      prevails: matrix[y]?.[x] ?? "",
    })),
  );
  return { name, ownValue, cells };
}

const defaultRows: Axis = { block: "defaults", suffix: "", none: "No default" };
const overrideColumns: Axis = { block: "overrides", suffix: "", none: "None" };
const defaultsA: Axis = { block: "defaults", suffix: " A", none: "No default" };
const defaultsB: Axis = { block: "defaults", suffix: " B", none: "No default" };
const overridesA: Axis = { block: "overrides", suffix: " A", none: "No override" };
const overridesB: Axis = { block: "overrides", suffix: " B", none: "No override" };

/** `where` is the heading's own word: `RetryFilter` (reference page), `HTTPRoute` (GEP-713). */
const retryOnTables = (where: string): readonly RetryOnTable[] => [
  table(
    `Overrides interacting with defaults for RetryOnPolicy, empty list in ${where}`,
    false,
    defaultRows,
    overrideColumns,
    [
      ["Empty list", "Namespace override", "Gateway override", "HTTPRoute override"],
      ["Namespace default", "Namespace override", "Gateway override", "HTTPRoute override"],
      ["Gateway default", "Namespace override", "Gateway override", "HTTPRoute override"],
      ["HTTPRoute default", "Namespace override", "Gateway override", "HTTPRoute override"],
    ],
  ),
  table(
    `Overrides interacting with other overrides for RetryOnPolicy, empty list in ${where}`,
    false,
    overridesB,
    overridesA,
    [
      ["Empty list", "Namespace override A", "Gateway override A", "HTTPRoute override A"],
      ["Namespace override B", firstCreated, "Namespace override B", "Namespace override B"],
      ["Gateway override B", "Namespace override A", firstCreated, "Gateway override B"],
      ["HTTPRoute override B", "Namespace override A", "Gateway override A", firstCreated],
    ],
  ),
  table(
    `Defaults interacting with other defaults for RetryOnPolicy, empty list in ${where}`,
    false,
    defaultsB,
    defaultsA,
    [
      ["Empty list", "Namespace default A", "Gateway default A", "HTTPRoute default A"],
      ["Namespace default B", firstCreated, "Gateway default A", "HTTPRoute default A"],
      ["Gateway default B", "Gateway default B", firstCreated, "HTTPRoute default A"],
      ["HTTPRoute default B", "HTTPRoute default B", "HTTPRoute default B", firstCreated],
    ],
  ),
  table(
    `Overrides interacting with defaults for RetryOnPolicy, value in ${where}`,
    true,
    defaultRows,
    overrideColumns,
    [
      ["Value", "Namespace override", "Gateway override", "HTTPRoute override"],
      ["Value", "Namespace override", "Gateway override", "HTTPRoute override"],
      ["Value", "Namespace override", "Gateway override", "HTTPRoute override"],
      ["Value", "Namespace override", "Gateway override", "HTTPRoute override"],
    ],
  ),
  table(
    `Overrides interacting with other overrides for RetryOnPolicy, value in ${where}`,
    true,
    overridesB,
    overridesA,
    [
      ["Value", "Namespace override A", "Gateway override A", "HTTPRoute override A"],
      ["Namespace override B", firstCreated, "Namespace override B", "Namespace override B"],
      ["Gateway override B", "Namespace override A", firstCreated, "Gateway override B"],
      ["HTTPRoute override B", "Namespace override A", "Gateway override A", firstCreated],
    ],
  ),
  table(`Defaults interacting with other defaults for RetryOnPolicy, value in ${where}`, true, defaultsB, defaultsA, [
    ["Value", "Value", "Value", "Value"],
    ["Value", "Value", "Value", "Value"],
    ["Value", "Value", "Value", "Value"],
    ["Value", "Value", "Value", "Value"],
  ]),
];

/** A cell at one choice of creation times: what goes in, and what must come out. */
interface RetryOnCase {
  readonly name: string;
  readonly policies: readonly (RetryOnPolicy & { readonly created: number })[];
  readonly prevails: string;
}

/**
 * Where the levels differ, age never matters: the cell must hold whoever is older. On one level it decides, and the
 * alphabet (A before B) only where it does not; so the older of the two is also the alphabetically later.
 */
function casesOf({ name, row, column, prevails }: RetryOnCell): readonly RetryOnCase[] {
  const at = (rowCreated: number, columnCreated: number) => [
    ...(row === undefined ? [] : [{ ...row, created: rowCreated }]),
    ...(column === undefined ? [] : [{ ...column, created: columnCreated }]),
  ];
  if (prevails === firstCreated && row !== undefined && column !== undefined) {
    return [
      { name: `${name}: first created wins (B)`, policies: at(0, 1), prevails: row.label },
      { name: `${name}: first created wins (A)`, policies: at(1, 0), prevails: column.label },
      { name: `${name}: otherwise first alphabetically`, policies: at(1, 1), prevails: column.label },
    ];
  }
  if (row === undefined || column === undefined) return [{ name, policies: at(0, 0), prevails }];
  return [
    { name: `${name}, ${row.label} older`, policies: at(0, 1), prevails },
    { name: `${name}, ${column.label} older`, policies: at(1, 0), prevails },
  ];
}

interface RetryOnPage {
  /** The heading's word for where the value is kept. */
  readonly where: string;
  /** A file in test/testdata/definitions, and the group that it defines. */
  readonly definition: string;
  readonly group: string;
  /** An HTTPRoute `example` in `appns` under the Gateway `example` that keeps this list as its own value. */
  readonly routeWith: (retryOn: readonly string[]) => JsonObject;
  /** What the policies make of that list, and who holds it. */
  readonly read: (made: Cluster) => { readonly retryOn: Json | undefined; readonly held: string };
}

/** One test per cell of the six tables, and per choice of ages where two policies meet. */
export function describeRetryOnTables({ where, definition, group, routeWith, read }: RetryOnPage): void {
  for (const { name, ownValue, cells } of retryOnTables(where)) {
    describe(name, () => {
      for (const { name: cell, policies, prevails } of cells.flatMap(casesOf)) {
        test(cell, () => {
          const made = cluster(
            [
              gateway("example", { namespace: "appns" }),
              routeWith(ownValue ? ["own"] : []),
              ...policies.map(({ label, level, block, created }) =>
                policy(
                  "RetryOnPolicy",
                  slug(label),
                  level === "Namespace" ? "Namespace/appns" : `${level}/example`,
                  { [block]: { retryOn: [label] } },
                  { group, namespace: "appns", created },
                ),
              ),
            ],
            { definitions: [definition] },
          );
          // Without any policy there is nothing to fold: the route keeps what was written.
          if (policies.length === 0) expect(made.effective().flatMap(({ sources }) => sources)).toEqual([]);
          else expect(read(made)).toEqual(expected(policies, prevails));
        });
      }
    });
  }
}

const slug = (label: string): string => label.toLowerCase().replaceAll(" ", "-");

function expected(policies: RetryOnCase["policies"], prevails: string): ReturnType<RetryOnPage["read"]> {
  if (prevails === "Value") return { retryOn: ["own"], held: "object HTTPRoute/appns/example" };
  const winner = policies.find(({ label }) => label === prevails);
  return { retryOn: [prevails], held: `appns/${slug(prevails)} ${winner?.block}` };
}
