import { expect, test } from "vitest";
import { gateway, route } from "../../test/support/cluster/gateway-objects.ts";
import type { DataplaneConfig } from "../core/dataplane/gateway-config.ts";
import type { JsonObject } from "../core/model/json.ts";
import { builtInDefinitions } from "../definitions/built-in-definitions.ts";
import { createDocumentSource, type ReadDocuments } from "../sources/document-source.ts";
import { type KeyMaterial, NO_KEY_MATERIAL } from "../sources/key-material.ts";
import { type ControlEvent, createControlLoop } from "./control-loop.ts";

const files = (objects: readonly JsonObject[], keyMaterial: KeyMaterial = NO_KEY_MATERIAL): ReadDocuments => ({
  documents: objects.map((value) => ({ value })),
  findings: [],
  keyMaterial,
});

const hostsIn = ({ gateways }: DataplaneConfig): readonly string[] =>
  gateways
    .flatMap(({ ports }) => ports.flatMap(({ listeners }) => listeners.flatMap(({ virtualHosts }) => virtualHosts)))
    .map(({ hostname }) => hostname)
    .sort();

const shop = route("shop", "Gateway/g", { hostnames: ["shop.example"] });
const bakery = route("bakery", "Gateway/g", { hostnames: ["bakery.example"] });
/** Listeners are a list. */
const broken = { ...gateway("g"), spec: { gatewayClassName: "class", listeners: "none" } };

/** A loop over files that a test edits, and a data plane that records its configurations. */
function startLoop(now: { files: ReadDocuments }, handOver: () => Promise<void> = async () => {}) {
  const served: { readonly hosts: readonly string[]; readonly keyMaterial: KeyMaterial }[] = [];
  const events: ControlEvent[] = [];
  const loop = createControlLoop({
    source: createDocumentSource(async () => now.files),
    dataplane: {
      replace: async (config, keyMaterial) => {
        await handOver();
        served.push({ hosts: hostsIn(config), keyMaterial });
        return [];
      },
    },
    evaluation: { definitions: builtInDefinitions() },
    dataplaneName: "embedded",
    report: (event) => events.push(event),
    nowMs: () => 0,
  });
  const caveats = () => events.map((event) => (event.type === "Applied" ? event.caveats.map(({ code }) => code) : []));
  return { loop, served, caveats, types: () => events.map(({ type, generation }) => `${type} ${generation}`) };
}

test("what changes is served; what does not is not handed over again", async () => {
  const now = { files: files([gateway("g"), shop]) };
  const { loop, served, types } = startLoop(now);
  await loop.refresh();
  await loop.refresh();
  now.files = files([gateway("g"), shop, bakery]);
  await loop.refresh();
  expect(served.map(({ hosts }) => hosts)).toEqual([["shop.example"], ["bakery.example", "shop.example"]]);
  expect(types()).toEqual(["Applied 1", "Unchanged 1", "Applied 2"]);
  expect(loop.generation()).toBe(2);
});

test("while something is broken, all of the last configuration stays; once it is fixed, everything since is taken up", async () => {
  const now = { files: files([gateway("g"), shop]) };
  const { loop, served, types } = startLoop(now);
  await loop.refresh();
  now.files = files([broken, shop, bakery]);
  await loop.refresh();
  expect(served).toHaveLength(1);
  now.files = files([gateway("g"), bakery]);
  await loop.refresh();
  expect(served.map(({ hosts }) => hosts)).toEqual([["shop.example"], ["bakery.example"]]);
  expect(types()).toEqual(["Applied 1", "Kept 1", "Applied 2"]);
});

test("a new certificate alone is handed over, and later changes go with it", async () => {
  const now = { files: files([gateway("g"), shop]) };
  const { loop, served } = startLoop(now);
  await loop.refresh();
  const renewed: KeyMaterial = { ...NO_KEY_MATERIAL, authorities: new Map([["default/ca", "PEM"]]) };
  now.files = files([gateway("g"), shop], renewed);
  await loop.refresh();
  now.files = files([gateway("g"), bakery], renewed);
  await loop.refresh();
  expect(served.map(({ keyMaterial }) => keyMaterial)).toEqual([NO_KEY_MATERIAL, renewed, renewed]);
});

test("one step at a time: whatever changes during one is taken up by one more", async () => {
  const now = { files: files([gateway("g"), shop]) };
  const waiting: (() => void)[] = [];
  const { loop, served, types } = startLoop(now, () => new Promise((resolve) => waiting.push(resolve)));
  const first = loop.refresh();
  await expect.poll(() => waiting.length).toBe(1);
  now.files = files([gateway("g"), bakery]);
  const others = [loop.refresh(), loop.refresh(), loop.refresh()];
  expect(waiting).toHaveLength(1);
  waiting[0]?.();
  await expect.poll(() => waiting.length).toBe(2);
  waiting[1]?.();
  await Promise.all([first, ...others]);
  expect(served.map(({ hosts }) => hosts)).toEqual([["shop.example"], ["bakery.example"]]);
  expect(types()).toEqual(["Applied 1", "Applied 2"]);
});

test("what is left out of account is reported with each configuration", async () => {
  const unknown = {
    apiVersion: "example.com/v1",
    kind: "SomePolicy",
    metadata: { name: "p", namespace: "default" },
    spec: { targetRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" } },
  };
  const now = { files: files([gateway("g"), shop, unknown]) };
  const { loop, caveats } = startLoop(now);
  await loop.refresh();
  now.files = files([gateway("g"), shop]);
  await loop.refresh();
  expect(caveats()).toEqual([["UnknownPolicyKind"], []]);
});
