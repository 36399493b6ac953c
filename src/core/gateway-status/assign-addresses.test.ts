import { describe, expect, test } from "vitest";
import { gateway } from "../../../test/support/cluster/gateway-objects.ts";
import type { JsonObject } from "../model/json.ts";
import type { ObjectId } from "../model/refs.ts";
import { buildSnapshot, tablesOf } from "../model/snapshot.ts";
import { assignAddresses, parseAddressPool } from "./assign-addresses.ts";

interface Sketch {
  readonly created?: number;
  readonly asks?: readonly string[];
  readonly has?: string;
}

function sketched(name: string, { created = 0, asks, has }: Sketch): JsonObject {
  const plain = gateway(name);
  const addresses = asks?.map((value) => ({ type: "IPAddress", ...(value === "" ? {} : { value }) }));
  return {
    ...plain,
    metadata: { name, namespace: "default", creationTimestamp: `2024-12-20T00:00:0${created}Z` },
    spec: { ...(plain["spec"] as JsonObject), ...(addresses === undefined ? {} : { addresses }) },
    ...(has === undefined ? {} : { status: { addresses: [{ type: "IPAddress", value: has }] } }),
  };
}

/** Each Gateway with its address, or with the reason why it has none. */
function assigned(
  gateways: Readonly<Record<string, Sketch>>,
  network = "127.1.0.0/29",
  before: Readonly<Record<string, string>> = {},
  gone: ReadonlyMap<ObjectId, { readonly address: string }> = new Map(),
): Record<string, string> {
  const objects = Object.entries(gateways).map(([name, sketch]) => sketched(name, sketch));
  const pool = parseAddressPool(network);
  if (pool === undefined) throw new Error(`${network} is not a network`);
  const { objects: index } = tablesOf(buildSnapshot(objects));
  const found: Record<string, string> = {};
  const all = index.ofKind("Gateway.gateway.networking.k8s.io" as Parameters<typeof index.ofKind>[0]);
  const known = new Map(gone);
  for (const { id, ref } of all) {
    const address = before[ref.name];
    if (address !== undefined) known.set(id, { address });
  }
  for (const [id, one] of assignAddresses(all, pool, known)) {
    const name = all.find((object) => object.id === id)?.ref.name ?? "";
    found[name] = "address" in one ? one.address : one.problem;
  }
  return found;
}

describe("addresses of Gateways", () => {
  test("the oldest Gateway gets the lowest address", () => {
    expect(assigned({ b: { created: 1 }, a: { created: 2 } })).toEqual({ b: "127.1.0.1", a: "127.1.0.2" });
  });

  test("a Gateway keeps the address of its status, if it is free", () => {
    expect(assigned({ a: { created: 1 }, b: { created: 2, has: "127.1.0.1" } })).toEqual({
      b: "127.1.0.1",
      a: "127.1.0.2",
    });
    expect(assigned({ a: { has: "192.0.2.1" } })).toEqual({ a: "127.1.0.1" });
  });

  test("a Gateway keeps the address that it was assigned, before its status has it: one of the same second does not take it", () => {
    expect(assigned({ a: {}, b: {} }, "127.1.0.0/29", { b: "127.1.0.1" })).toEqual({ b: "127.1.0.1", a: "127.1.0.2" });
    expect(assigned({ a: { has: "127.1.0.2" } }, "127.1.0.0/29", { a: "127.1.0.4" })).toEqual({ a: "127.1.0.4" });
  });

  test("the address of a Gateway that is gone is assigned again when no other is free", () => {
    const gone = new Map([["Gateway/gone" as ObjectId, { address: "127.1.0.1" }]]);
    expect(assigned({ a: {} }, "127.1.0.0/29", {}, gone)).toEqual({ a: "127.1.0.2" });
    expect(assigned({ a: {}, b: {} }, "127.1.0.0/30", {}, gone)).toEqual({ a: "127.1.0.2", b: "127.1.0.1" });
  });

  test("a Gateway that asks for an address gets that one", () => {
    expect(assigned({ a: { created: 1, has: "127.1.0.3" }, b: { created: 2, asks: ["127.1.0.3"] } })).toEqual({
      b: "127.1.0.3",
      a: "127.1.0.1",
    });
    expect(assigned({ a: { asks: [""] } })).toEqual({ a: "127.1.0.1" });
  });

  test.each([
    ["192.0.2.1", "the address 192.0.2.1 is not one of 127.1.0.0/29"],
    ["127.1.0.0", "the address 127.1.0.0 is not one of 127.1.0.0/29"],
  ])("it asks for %s, which cannot be used", (value, problem) => {
    expect(assigned({ a: { asks: [value] } })).toEqual({ a: problem });
  });

  test("of two that ask for the same address the older one gets it", () => {
    const both = { a: { created: 1, asks: ["127.1.0.2"] }, b: { created: 2, asks: ["127.1.0.2"] } };
    expect(assigned(both)).toEqual({ a: "127.1.0.2", b: "the address 127.1.0.2 is that of Gateway default/a" });
  });

  test("one of several addresses that it asks for cannot be used", () => {
    expect(assigned({ a: { asks: ["127.1.0.2", "192.0.2.1"] } })).toEqual({
      a: "the address 192.0.2.1 is not one of 127.1.0.0/29",
    });
    expect(assigned({ a: { asks: ["127.1.0.2", "127.1.0.3"] } })).toEqual({
      a: "spec.addresses has several; one is supported",
    });
  });

  test("a network with too few addresses", () => {
    expect(assigned({ a: {}, b: {}, c: {} }, "127.1.0.0/30")).toEqual({
      a: "127.1.0.1",
      b: "127.1.0.2",
      c: "every address of 127.1.0.0/30 is assigned to another Gateway",
    });
  });

  test.each(["127.1.0.0", "127.1.0.0/31", "127.1.0.0/7", "::1/64", "127.1.0/24", "127.1.0.0/24/1"])(
    "%s is not a network that can be used",
    (text) => {
      expect(parseAddressPool(text)).toBeUndefined();
    },
  );
});
