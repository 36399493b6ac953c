/** What an Envoy has been given over xDS, without versions and times, in an order of its own. */
import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  objectsIn,
  ownValue,
} from "../../src/core/model/json.ts";
import type { RunningEnvoy } from "../support/gateway/envoy.ts";

/** Fields of `config_dump` that differ between two Envoys with equal resources. */
const APART: ReadonlySet<string> = new Set(["version_info", "last_updated", "client_status"]);
const DUMPS = ["Listeners", "Clusters", "Routes", "ScopedRoutes", "Endpoints", "Secrets"];

export async function envoyState({ admin }: Pick<RunningEnvoy, "admin">): Promise<JsonObject> {
  const dump: unknown = JSON.parse(await admin("/config_dump?include_eds"));
  const configs = isJsonObject(dump) ? objectsIn(ownValue(dump, "configs")) : [];
  return Object.fromEntries(
    DUMPS.map((name) => {
      const found = configs.find((config) => JSON.stringify(config["@type"]).endsWith(`.${name}ConfigDump"`)) ?? {};
      const dynamic = Object.entries(found).filter(([key]) => key.startsWith("dynamic"));
      return [name, Object.fromEntries(dynamic.map(([key, value]) => [key, ordered(value)]))];
    }),
  );
}

function ordered(value: Json | undefined): Json {
  if (isJsonList(value)) {
    const items = value.map(ordered);
    return items.every(isResource) ? items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) : items;
  }
  if (!isJsonObject(value)) return value ?? null;
  const entries = Object.entries(value).filter(([key]) => !APART.has(key));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, ordered(item)]));
}

/** An entry of a dump has its resource in one of these fields; lists inside of resources keep their order. */
const RESOURCE_FIELDS = [
  "cluster",
  "active_state",
  "route_config",
  "endpoint_config",
  "secret",
  "scoped_route_configs",
];
const isResource = (item: Json): boolean =>
  isJsonObject(item) && RESOURCE_FIELDS.some((field) => isJsonObject(item[field]) || isJsonList(item[field]));

const nameOf = (item: Json): string => JSON.stringify(item);
