import { describe, expect, test } from "vitest";
import type { ObjectRef } from "../../core/model/refs.ts";
import type { ViewRetries, ViewTraffic } from "../../core/view/view-types.ts";
import { createPrinter } from "../print/terminal/create-printer.ts";
import { printViewRetries } from "./retries-text.ts";

const ref = (kind: string, namespace: string, name: string): ObjectRef => ({ group: "", kind, namespace, name });
const row = (rule: string, requests: number, retried: number, succeededByRetry: number): ViewTraffic => ({
  gateway: ref("Gateway", "infra", "prod"),
  route: ref("HTTPRoute", "bakery", "baker"),
  rule,
  backend: { ...ref("Service", "bakery", "baker"), port: 8080 },
  requests,
  retried,
  succeededByRetry,
});
const sums = { windowSeconds: 3600, requests: 1200, retried: 200, succeededByRetry: 180 };
const both: ViewRetries = { ...sums, traffic: [row("menu", 1000, 200, 180), row("order", 200, 0, 0)] };

function textOf(retries: ViewRetries | undefined, sectionName?: string): string {
  const written: string[] = [];
  const print = createPrinter({
    write: (text) => written.push(text),
    columns: undefined,
    colour: false,
    headers: true,
  });
  printViewRetries(retries, { print, sectionName });
  return written
    .join("")
    .replaceAll(/\n(?: {6,}| {4}(?=[^ H…]))/g, " ")
    .trim();
}

describe("what retries are worth, of a view", () => {
  test("the sum, then each rule and backend", () => {
    expect(textOf(both)).toBe(`What retries are worth
  In the last hour 15 % of the 1200 requests succeeded only by a retry, and 2 % failed in spite of one.
    HTTPRoute bakery/baker#menu → Service bakery/baker:8080: 18 % of the 1000 requests succeeded only by a retry, and 2 % failed in spite of one
    HTTPRoute bakery/baker#order → Service bakery/baker:8080: none of the 200 requests needed a retry`);
  });

  test("a rule has its own counts only", () => {
    expect(textOf(both, "order")).toBe(
      "What retries are worth\n  In the last hour none of the 200 requests needed a retry.",
    );
    expect(textOf(both, "https")).toBe("");
  });

  test("rules that the user may not see are part of the sum, and counted", () => {
    const text = textOf({ ...sums, traffic: [row("menu", 1000, 200, 180)], hidden: 2 });
    expect(text).toContain("15 % of the 1200 requests");
    expect(text).toContain("… and 2 more, of which 2 are in namespaces that you may not see");
  });

  test("no requests are not the same as no counts", () => {
    expect(textOf({ windowSeconds: 60, requests: 0, retried: 0, succeededByRetry: 0, traffic: [] })).toContain(
      "No request was counted in the 60 seconds since counting began.",
    );
    expect(textOf(undefined)).toBe("");
  });
});
