/**
 * The six RetryOnPolicy tables that the reference page and GEP-713 (experimental) have in common, cell by cell.
 * A cell names the policy that takes effect. The two pages differ only in the field that has the HTTPRoute's own value.
 */
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/core/model/json.ts";
import { type Cluster, cluster } from "./cluster.ts";
import { gateway, policy } from "./gateway-objects.ts";

type RetryOnLevel = "Namespace" | "Gateway" | "HTTPRoute";

/** The content of a row or a column: nothing, or a policy at a level. */
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
  /** The label of the policy that takes effect, `Empty list`, `Value`, or the rule by age and name. */
  readonly prevails: string;
}

const levels: readonly RetryOnLevel[] = ["Namespace", "Gateway", "HTTPRoute"];

interface Axis {
  readonly block: RetryOnPolicy["block"];
  /** Distinguishes the two policies where row and column have the same block. */
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

/** A cell with one choice of creation times: the input and the expected result. */
interface RetryOnCase {
  readonly name: string;
  readonly policies: readonly (RetryOnPolicy & { readonly created: number })[];
  readonly prevails: string;
}

/**
 * Where the levels differ, age does not matter: the cell is tested with either policy as the older. On one level the older takes effect,
 * and the first by name only if both have the same age; so the older policy is also the later by name.
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
  /** The heading's word for the field that has the value. */
  readonly where: string;
  /** A file in test/testdata/definitions, and the group that it defines. */
  readonly definition: string;
  readonly group: string;
  /** An HTTPRoute `example` in `appns` attached to the Gateway `example`, with this list as its own value. */
  readonly routeWith: (retryOn: readonly string[]) => JsonObject;
  /** The effective list and its source. */
  readonly read: (made: Cluster) => { readonly retryOn: Json | undefined; readonly held: string };
}

/** One test for each cell of the six tables, and for each choice of ages where there are two policies. */
export function defineRetryOnTests({ where, definition, group, routeWith, read }: RetryOnPage): void {
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
          // Without a policy there is nothing to fold: the route's own value takes effect.
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
