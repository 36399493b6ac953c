import { describe, expect, test } from "vitest";
import { type FrontProxy, isAllowedName, parseFrontProxy, readUser } from "./front-proxy.ts";

const configMap = (data: Readonly<Record<string, string>>) => ({ kind: "ConfigMap", data });
const DATA = {
  "requestheader-client-ca-file": "-----BEGIN CERTIFICATE-----\n",
  "requestheader-allowed-names": '["front-proxy-client"]',
  "requestheader-username-headers": '["X-Remote-User"]',
  "requestheader-uid-headers": '["X-Remote-Uid"]',
  "requestheader-group-headers": '["X-Remote-Group"]',
  "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
};
const parsed = parseFrontProxy(configMap(DATA));
const proxy = parsed as FrontProxy;

describe("the ConfigMap of the front proxy", () => {
  test("is read", () => {
    expect(parsed).toMatchObject({ allowedNames: ["front-proxy-client"], userHeaders: ["x-remote-user"] });
  });
  test("an authority is required", () => {
    expect(parseFrontProxy(configMap({}))).toContain("--requestheader-client-ca-file");
    expect(parseFrontProxy({ kind: "ConfigMap" })).toContain("--requestheader-client-ca-file");
  });
  test("the names of the headers are required", () => {
    const { "requestheader-username-headers": _, ...others } = DATA;
    expect(parseFrontProxy(configMap(others))).toContain("--requestheader-username-headers");
    expect(parseFrontProxy(configMap({ ...DATA, "requestheader-username-headers": "no JSON" }))).toBeTypeOf("string");
  });
  test("only certificates with an allowed name count, or with any if none is listed", () => {
    expect(isAllowedName(proxy, ["front-proxy-client"])).toBe(true);
    expect(isAllowedName(proxy, ["somebody"])).toBe(false);
    expect(isAllowedName(proxy, [])).toBe(false);
    expect(isAllowedName({ ...proxy, allowedNames: [] }, ["somebody"])).toBe(true);
  });
});

describe("the user of a request", () => {
  test("with groups, uid and extra", () => {
    const headers = Object.entries({
      "X-Remote-User": ["ana"],
      "X-Remote-Uid": ["7"],
      "X-Remote-Group": ["dev", "system:authenticated"],
      "X-Remote-Extra-Scopes": ["a", "b"],
      "X-Remote-Extra-Example.com%2fteam": ["bread"],
    }).flatMap(([name, values]) => values.flatMap((value) => [name, value]));
    expect(readUser(proxy, headers)).toEqual({
      user: "ana",
      uid: "7",
      groups: ["dev", "system:authenticated"],
      extra: { scopes: ["a", "b"], "example.com/team": ["bread"] },
    });
  });
  test.each([
    ["no user", []],
    ["an empty user", ["X-Remote-User", ""]],
    ["two users", ["X-Remote-User", "ana", "x-remote-user", "admin"]],
    ["two uids", ["X-Remote-User", "ana", "X-Remote-Uid", "1", "X-Remote-Uid", "2"]],
    ["impersonation", ["X-Remote-User", "ana", "Impersonate-User", "admin"]],
    ["impersonation of a group", ["X-Remote-User", "ana", "impersonate-group", "system:masters"]],
    ["a user in a header of another name", ["X_Remote_User", "ana"]],
    ["a token", ["Authorization", "Bearer abc"]],
  ])("%s is refused", (_, headers) => {
    expect(readUser(proxy, headers)).toBeTypeOf("string");
  });
});
