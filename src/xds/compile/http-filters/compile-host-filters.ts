/**
 * Filters for requests whose host has no scope. Scopes are exact and case-sensitive; hostnames of routes are neither. These filters run only if no route was
 * found, and search again: with the host in lower case, then with the wildcard that matches it. The other filters of the listener were chosen before, when
 * there was no route. So a route with an authorization server is not used here: its requests are refused.
 */

import { LuaSchema } from "../../gen/envoy/extensions/filters/http/lua/v3/lua_pb.ts";
import { type Any, pack } from "../../protobuf.ts";
import { LOWER_CASE_FILTER, WILDCARD_FILTER } from "../resource-names.ts";
import { type HttpFilterInit, httpFilter } from "./http-filter.ts";

/** The metadata of routes that these filters must not use. */
export const GUARDED: { readonly [filter: string]: { readonly guarded: true } } = {
  "envoy.filters.http.lua": { guarded: true },
};

/** `wildcards`: the wildcard hostnames of the port. Requests for hosts of the first that matches are served by its routes, whatever these are. */
export const hostFilters = (wildcards: readonly string[]): readonly HttpFilterInit[] => [
  httpFilter(LOWER_CASE_FILTER, lua(LOWER_CASE)),
  ...(wildcards.length === 0 ? [] : [httpFilter(WILDCARD_FILTER, lua(searchWildcards(wildcards)))]),
];

/** The scripts clear the cached route themselves. */
const lua = (script: string): Any =>
  pack(LuaSchema, {
    defaultSourceCode: { specifier: { case: "inlineString", value: script } },
    clearRouteCache: false,
  });

/** Metadata is that of the route, which is searched for then. */
const REFUSE_GUARDED = `local function refuse_guarded(handle)
  if handle:metadata():get("guarded") then
    handle:respond({[":status"] = "400"}, "the host must be written as in the route\\n")
  end
end
`;

/** The backend gets the host in lower case. */
const LOWER_CASE = `${REFUSE_GUARDED}
function envoy_on_request(handle)
  local host = handle:headers():get(":authority")
  if host == nil or host == host:lower() then return end
  handle:headers():replace(":authority", host:lower())
  handle:clearRouteCache()
  refuse_guarded(handle)
end
`;

/** Routes have names. The host is the wildcard while its route is searched for. */
const searchWildcards = (wildcards: readonly string[]): string => `local wildcards = {
${wildcards.map((wildcard) => `  ["${wildcard}"] = true,\n`).join("")}}
${REFUSE_GUARDED}
local function find(host)
  local at = host:find(".", 1, true)
  while at ~= nil do
    local wildcard = "*" .. host:sub(at)
    if wildcards[wildcard] then return wildcard end
    at = host:find(".", at + 1, true)
  end
  if wildcards["*"] then return "*" end
end

function envoy_on_request(handle)
  if handle:streamInfo():routeName() ~= "" then return end
  local headers = handle:headers()
  local host = headers:get(":authority")
  if host == nil then return end
  local wildcard = find(host:match("^(.-):%d*$") or host)
  if wildcard == nil then return end
  headers:replace(":authority", wildcard)
  handle:clearRouteCache()
  refuse_guarded(handle)
  headers:replace(":authority", host)
end
`;

/** The number of wildcards that are searched for in this way. */
const MOST_WILDCARDS = 1000;

/** True if hosts of these wildcards can be found by these filters. */
export const canSearch = (wildcards: readonly string[]): boolean =>
  wildcards.length <= MOST_WILDCARDS && wildcards.every((wildcard) => /^\*(?:\.[a-z0-9-]+)*$/.test(wildcard));
