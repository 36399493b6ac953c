/** What `plan`, `trace` and `explain` read from the view API: absent counters are a caveat, never a zero. */
import { describe, expect, test } from "vitest";
import { ApiError } from "../../adapters/cluster/client/api-error.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { type ObjectRef, objectId } from "../../core/model/refs.ts";
import type { ClusterConnection } from "../../sources/cluster/load-cluster.ts";
import type { CommandContext } from "../command.ts";
import { readRetryViews } from "./read-retry-views.ts";

const gateway = (name: string): ObjectRef => ({ group: GATEWAY_API, kind: "Gateway", namespace: "infra", name });
const service = (name: string): ObjectRef => ({ group: "", kind: "Service", namespace: "bakery", name });
const route: ObjectRef = { group: GATEWAY_API, kind: "HTTPRoute", namespace: "bakery", name: "baker" };
const row = (through: string, requests: number): JsonObject => ({
  gateway: { ...gateway(through) },
  route: { ...route },
  rule: "menu",
  backend: { ...service("baker"), port: 8080 },
  requests,
  retried: 1,
  succeededByRetry: 1,
});
const view = (retries: JsonObject | undefined, caveats: readonly string[] = []): JsonObject => ({
  target: {},
  policyKinds: [],
  values: [],
  notes: [],
  caveats: caveats.map((message) => ({ code: "CountersNotRead", severity: "partial", message, fix: "" })),
  ...(retries === undefined ? {} : { retries }),
});
const worth = (traffic: readonly JsonObject[], more: JsonObject = {}): JsonObject =>
  view({ windowSeconds: 3600, requests: 0, retried: 0, succeededByRetry: 0, traffic: [...traffic], ...more });

const failure = (status: number, message: string): ApiError => new ApiError(status, "Failure", message);

/** `views`: what the view API has, by the name of a view; others are not there. */
async function read(
  views: Readonly<Record<string, JsonObject | ApiError>>,
  refs: readonly ObjectRef[],
  gateways: readonly ObjectRef[] = [],
  {
    isInstalled = true,
    via,
    refusals = "Caveat",
  }: { readonly isInstalled?: boolean; readonly via?: string; readonly refusals?: "Caveat" | "Silent" } = {},
) {
  const request = ({ path }: { readonly path: string }): Promise<JsonObject> => {
    const found = isInstalled && path.endsWith("/v1alpha1") ? {} : views[path.split("/").at(-1) ?? ""];
    if (found === undefined) return Promise.reject(failure(404, "not found"));
    return found instanceof ApiError ? Promise.reject(found) : Promise.resolve(found);
  };
  const client = { request, close: () => undefined };
  const context = {
    cluster: { client } as unknown as ClusterConnection,
    options: { has: () => false, value: () => via, values: () => [] },
  } as unknown as CommandContext;
  const found = await readRetryViews(context, { refs, gateways, refusals });
  return (
    found && {
      counts: found.report?.counts.map((one) => `${one.gateway.name} ${one.requests}`),
      gateways: [...found.gateways],
      caveats: found.caveats.map(({ message }) => message),
    }
  );
}

describe("readRetryViews", () => {
  test("a row that several views have is there once", async () => {
    const views = { "service.baker": worth([row("prod", 10)]), "gateway.prod": worth([row("prod", 10)]) };
    expect(await read(views, [service("baker"), service("baker")], [gateway("prod")])).toEqual({
      counts: ["prod 10"],
      gateways: [objectId(gateway("prod")), objectId(service("baker"))],
      caveats: [],
    });
  });

  test("a Gateway that the controller does not count is a caveat beside the counts of another", async () => {
    const found = await read(
      { "service.baker": worth([row("prod", 10)]) },
      [service("baker")],
      [gateway("prod"), gateway("other")],
    );
    expect(found?.gateways).not.toContain(objectId(gateway("other")));
    expect(found?.caveats).toEqual([
      "what retries are worth is not known, or not all of it, for Gateway infra/other: the view API has no counts of it",
    ]);
  });

  test("a Gateway without requests is counted if its view says so", async () => {
    const views = { "service.baker": worth([]), "gateway.prod": worth([]) };
    expect(await read(views, [service("baker")], [gateway("prod")])).toMatchObject({ counts: [], caveats: [] });
  });

  test("rows that are left out, and gaps that the controller knows of, are caveats", async () => {
    const gap = "what retries are worth is not known, or not all of it, for Gateway infra/prod: no Envoy is connected";
    const views = {
      "service.baker": worth([row("prod", 10)], { more: 2, hidden: 1 }),
      "gateway.prod": view(undefined, [gap]),
    };
    const found = await read(views, [service("baker")], [gateway("prod")]);
    expect(found?.caveats.toSorted()).toEqual([
      gap,
      "what retries are worth is not known, or not all of it, for Service bakery/baker: 3 rules and backends are not listed, of which 1 are in namespaces that you may not see",
    ]);
  });

  test("what the view API refuses is one caveat where the answer is about it, and no report", async () => {
    const refused = failure(403, "forbidden");
    const found = await read({ "service.baker": refused, "service.oven": refused }, [
      service("baker"),
      service("oven"),
    ]);
    expect(found).toEqual({
      counts: undefined,
      gateways: [],
      caveats: [expect.stringMatching(/for Service bakery\/baker: .*forbidden.* \(and 1 more\)$/)],
    });
    const other = await read({ "service.baker": refused }, [service("baker")], [], { refusals: "Silent" });
    expect(other).toBeUndefined();
  });

  test("nothing is known where the view API is not installed, has none of the objects, or is not to be asked", async () => {
    const views = { "service.baker": worth([row("prod", 10)]) };
    expect(await read(views, [service("baker")], [], { isInstalled: false })).toBeUndefined();
    expect(await read(views, [service("oven")])).toBeUndefined();
    expect(await read(views, [{ ...route, kind: "TLSRoute" }])).toBeUndefined();
    expect(await read(views, [service("baker")], [], { via: "direct" })).toBeUndefined();
  });
});
