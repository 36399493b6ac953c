import { describe, expect, test } from "vitest";
import { layoutTable, type Table, tableFits } from "./layout-table.ts";
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

  test("a flexible column keeps its least width as long as another column can be omitted", () => {
    const columns = [
      { header: "NAME" },
      { header: "SPEC", flexible: true, least: 20 },
      { header: "FILE", optional: 1 },
    ] as const;
    const rows = [["a", "{retry: {attempts: 5}}", "a.yaml:1"]];
    const at = (width: number): readonly string[] =>
      layoutTable({ columns, rows }, { columns: width, headers: false }).map((line) => line.map(textOf).join(""));
    expect(at(37)).toEqual(["a   {retry: {attempts: 5}}   a.yaml:1"]);
    expect(at(35)).toEqual(["a   {retry: {attempts: …   a.yaml:1"]);
    expect(at(34)).toEqual(["a   {retry: {attempts: 5}}"]);
  });

  test("tableFits: with all columns, and flexible ones at their least width", () => {
    const fits = (columns: number | undefined): boolean => tableFits(table, { columns, headers: true });
    // friday-fix, two columns of 12 characters, PATHS, and three gaps.
    expect([fits(47), fits(48), fits(undefined)]).toEqual([false, true, true]);
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
