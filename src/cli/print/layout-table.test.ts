import { describe, expect, test } from "vitest";
import { layoutTable, type Table } from "./layout-table.ts";
import { styled, textOf } from "./styled-text.ts";

const table: Table = {
  columns: [
    { header: "NAME" },
    { header: "TARGETS", flexible: true },
    { header: "FILE", flexible: true, optional: 1 },
    { header: "PATHS", align: "right" },
  ],
  rows: [
    ["friday-fix", "Gateway/prod, HTTPRoute/baker, HTTPRoute/counter", "platform-policies.yaml:24", "12"],
    ["b", styled("-", "dim"), "", "7"],
  ],
};

const lines = (columns: number | undefined, headers = true): readonly string[] =>
  layoutTable(table, { columns, headers }).map((line) => line.map(textOf).join(""));

describe("layoutTable", () => {
  test("in a pipe nothing is cut", () => {
    expect(lines(undefined)).toEqual([
      "NAME         TARGETS                                            FILE                        PATHS",
      "friday-fix   Gateway/prod, HTTPRoute/baker, HTTPRoute/counter   platform-policies.yaml:24      12",
      "b            -                                                                                  7",
    ]);
  });

  test("on a terminal flexible columns are cut", () => {
    expect(lines(72)).toEqual([
      "NAME         TARGETS                    FILE                       PATHS",
      "friday-fix   Gateway/prod, HTTPRoute…   platform-policies.yaml:…      12",
      "b            -                                                         7",
    ]);
  });

  test("then optional columns are omitted, and the others get their width", () => {
    expect(lines(44)).toEqual([
      "NAME         TARGETS                   PATHS",
      "friday-fix   Gateway/prod, HTTPRout…      12",
      "b            -                             7",
    ]);
  });

  test("then all columns are cut", () => {
    expect(lines(24)).toEqual(["NAME     TARGETS   PATHS", "frida…   Gatewa…      12", "b        -             7"]);
  });

  test("without headers they take no room", () => {
    expect(
      layoutTable(
        { columns: [{ header: "LONG HEADER" }, { header: "B" }], rows: [["a", "b"]] },
        { columns: undefined, headers: false },
      ).map((line) => line.map(textOf).join("")),
    ).toEqual(["a   b"]);
  });

  test("no width breaks it", () => {
    for (let width = 1; width < 140; width++) {
      for (const line of lines(width)) if (width >= 24) expect(line.length).toBeLessThanOrEqual(width);
    }
  });
});
