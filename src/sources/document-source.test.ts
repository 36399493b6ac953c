import { expect, test } from "vitest";
import { createDocumentSource, type ReadDocuments } from "./document-source.ts";
import { NO_KEY_MATERIAL } from "./key-material.ts";

const service = (name: string, port = 80) => ({
  value: { apiVersion: "v1", kind: "Service", metadata: { name, namespace: "a" }, spec: { ports: [{ port }] } },
});
const read = (more: Partial<ReadDocuments> = {}): ReadDocuments => ({
  documents: [],
  findings: [],
  keyMaterial: NO_KEY_MATERIAL,
  ...more,
});

/** A source with the files of `now`. */
function sourceOf(now: { read: ReadDocuments }) {
  return createDocumentSource(async () => now.read);
}

test("the first time: everything", async () => {
  const source = sourceOf({ read: read({ documents: [service("a"), service("b")] }) });
  const { changes, objects, broken } = await source.load();
  expect([changes.length, objects, broken]).toEqual([2, 2, []]);
});

test("then: only what differs", async () => {
  const now = { read: read({ documents: [service("a"), service("b"), service("c")] }) };
  const source = sourceOf(now);
  await source.load();
  now.read = read({ documents: [service("c"), service("b", 81)] });
  const { changes } = await source.load();
  expect(changes).toEqual([
    { delete: { group: "", kind: "Service", namespace: "a", name: "a" } },
    { upsert: service("b", 81).value },
  ]);
  expect((await source.load()).changes).toEqual([]);
});

test("a document that only moved within its file is no change", async () => {
  const at = (line: number) => ({ ...service("a"), source: { file: "a.yaml", line, column: 1 } });
  const now = { read: read({ documents: [at(1)] }) };
  const source = sourceOf(now);
  await source.load();
  now.read = read({ documents: [at(7)] });
  expect((await source.load()).changes).toEqual([]);
});

test.each([
  ["a text that cannot be read", read({ findings: [{ code: "YamlSyntax", severity: "error", message: "?" }] })],
  ["an object that the API server would refuse", read({ documents: [{ value: { ...service("a").value, spec: 7 } }] })],
  ["two objects of one name", read({ documents: [service("a"), service("a", 9)] })],
  ["a document that is no object", read({ documents: [{ value: 7 }] })],
])("as long as anything is broken, nothing is given out: %s", async (_, broken) => {
  const now = { read: read({ documents: [service("a")] }) };
  const source = sourceOf(now);
  await source.load();
  now.read = broken;
  const held = await source.load();
  expect(held.changes).toEqual([]);
  expect(held.broken.length).toBeGreaterThan(0);
  now.read = read({ documents: [service("a"), service("z")] });
  expect((await source.load()).changes).toEqual([{ upsert: service("z").value }]);
});

test("at the start whatever can be used is given out, with what cannot", async () => {
  const source = sourceOf({ read: read({ documents: [service("a"), { value: 7 }] }) });
  const { changes, broken } = await source.load();
  expect([changes.length, broken.length]).toEqual([1, 1]);
});

test("key material is given out when it changes, and only then", async () => {
  const now = { read: read() };
  const source = sourceOf(now);
  expect((await source.load()).keyMaterial).toEqual(NO_KEY_MATERIAL);
  expect((await source.load()).keyMaterial).toBeUndefined();
  const certificates = new Map([["a/b", { chain: "c", privateKey: "k" }]]);
  now.read = read({ keyMaterial: { ...NO_KEY_MATERIAL, certificates } });
  expect((await source.load()).keyMaterial?.certificates).toEqual(certificates);
});
