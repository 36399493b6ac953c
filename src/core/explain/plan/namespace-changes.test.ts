import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../../adapters/files/parse-documents.ts";
import { builtInDefinitions } from "../../../definitions/built-in-definitions.ts";
import type { Change } from "../../effective/update/object-changes.ts";
import { evaluate } from "../../evaluate.ts";
import { buildSnapshot } from "../../model/snapshot.ts";
import { plan } from "../../plan.ts";
import type { NamespaceChange } from "./result.ts";

const bakery = new URL("../../../../examples/bakery/", import.meta.url);
const objects = readdirSync(bakery)
  .filter((name) => name.endsWith(".yaml"))
  .flatMap((name) => parseDocuments(readFileSync(new URL(name, bakery), "utf8"), name).documents)
  .map(({ value }) => value);

const evaluation = evaluate(buildSnapshot(objects), { definitions: builtInDefinitions() });

function planned(...changes: readonly Change[]): Readonly<Record<string, NamespaceChange>> {
  return Object.fromEntries(plan(evaluation, changes).namespaces.map((change) => [change.namespace, change]));
}

const retryPolicy = (namespace: string, name: string, contact?: string): Change => ({
  upsert: {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "RetryPolicy",
    metadata: {
      name,
      namespace,
      ...(contact === undefined ? {} : { annotations: { "prevail.dev/contact": contact } }),
    },
    spec: {
      targetRefs: [
        { group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: namespace === "shop" ? "counter" : "baker" },
      ],
      overrides: { timeouts: { request: "3s" } },
    },
  },
});
const fridayFix = { group: "prevail.dev", kind: "RetryPolicy", namespace: "infra", name: "friday-fix" };

describe("what a plan changes in each namespace", () => {
  test("a policy on the Gateway changes values of other namespaces", () => {
    const { infra, bakery, shop } = planned({ delete: fridayFix });
    expect(infra).toMatchObject({
      objects: { created: 0, changed: 0, deleted: 1 },
      paths: 0,
      targets: [],
      policies: 1,
    });
    expect(bakery).toMatchObject({
      objects: { created: 0, changed: 0, deleted: 0 },
      paths: 10,
      values: { changed: 20 },
    });
    expect(shop).toMatchObject({ paths: 3, values: { changed: 6 }, policies: 1 });
  });

  test("a path from a route of one namespace to a backend of another counts for both", () => {
    const { shop, bakery } = planned(retryPolicy("shop", "calm"));
    const names = (change: NamespaceChange | undefined): readonly string[] =>
      (change?.targets ?? []).map(
        ({ kind, name, sectionName }) => `${kind}/${name}${sectionName === undefined ? "" : `#${sectionName}`}`,
      );
    expect(names(shop)).toEqual(
      expect.arrayContaining(["HTTPRoute/counter", "HTTPRoute/counter#bread", "Service/till"]),
    );
    expect(names(bakery)).toEqual(["Service/baker", "Service/baker#web"]);
    expect([shop?.paths, bakery?.paths]).toEqual([2, 1]);
  });

  test("a Namespace is in its own namespace, and its contact is known although it is deleted", () => {
    const { shop } = planned({ delete: { group: "", kind: "Namespace", namespace: "", name: "shop" } });
    expect(shop?.objects.deleted).toBe(1);
    expect(shop?.contacts.map(({ contact }) => contact)).toEqual(["shop@bakery.example"]);
  });

  test("the contact of a policy comes after that of the Namespace, and only if it is another one", () => {
    const contacts = (...changes: readonly Change[]): readonly string[] =>
      (planned(...changes)["bakery"]?.contacts ?? []).map(({ contact, object }) => `${contact} of ${object}`);
    expect(contacts(retryPolicy("bakery", "calm", " noah@bakery.example "))).toEqual([
      "ana@bakery.example of Namespace.//bakery",
      "noah@bakery.example of RetryPolicy.prevail.dev/bakery/calm",
    ]);
    expect(contacts(retryPolicy("bakery", "calm", "ana@bakery.example"))).toHaveLength(1);
    expect(contacts(retryPolicy("bakery", "calm", "  "))).toHaveLength(1);
  });

  test("values that only come from another source are counted apart", () => {
    const same: Change = {
      upsert: {
        apiVersion: "prevail.dev/v1alpha1",
        kind: "RetryPolicy",
        metadata: { name: "twin", namespace: "shop" },
        spec: {
          targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "counter" }],
          overrides: { timeouts: { request: "15s" } },
        },
      },
    };
    const { shop } = planned(same);
    expect(shop).toMatchObject({ paths: 0, values: { changed: 0, sameValueOtherSource: 2 }, targets: [] });
  });

  test("findings count for the namespace of their object", () => {
    const grant = {
      group: "gateway.networking.k8s.io",
      kind: "ReferenceGrant",
      namespace: "bakery",
      name: "shop-to-baker",
    };
    expect(planned({ delete: grant })["shop"]?.findings).toEqual({ added: 1, removed: 0 });
  });

  test("nothing changes: no namespace is listed", () => {
    expect(planned()).toEqual({});
  });
});
