import { describe, expect, test } from "vitest";
import {
  hostOfScope,
  type RouteConfigName,
  scopeName,
  scopesName,
  scopesOf,
  virtualHostName,
} from "./resource-names.ts";

const CONFIGS = [
  "bakery/door:80",
  "bakery/door:443/Gateway/bakery/door/https",
  "odd names/door_1:80",
] as RouteConfigName[];

describe.each(CONFIGS)("scopes of %s", (config) => {
  test.each(["a.example", "under_score.example", "bücher.example", "a_5f_.example"])("%s", (domain) => {
    const host = virtualHostName(config, domain);
    expect(hostOfScope(scopeName(host))).toBe(host);
    expect(scopesOf(scopeName(host))).toBe(scopesName(config));
    expect(scopeName(host)).toMatch(/^[A-Za-z0-9_.:/-]+$/);
  });
});
