import { expect, test } from "vitest";
import { chooseProxy } from "./choose-proxy.ts";

test.each([
  ["https://api.example:6443", undefined, {}, undefined],
  ["https://api.example:6443", "http://own:1", { HTTPS_PROXY: "http://env:2" }, "own:1"],
  ["https://api.example:6443", undefined, { HTTPS_PROXY: "http://env:2" }, "env:2"],
  ["https://api.example:6443", undefined, { https_proxy: "env:2" }, "env:2"],
  ["http://api.example", undefined, { HTTPS_PROXY: "http://env:2", HTTP_PROXY: "http://plain:3" }, "plain:3"],
  ["https://127.0.0.1:6443", undefined, { HTTPS_PROXY: "http://env:2" }, undefined],
  ["https://localhost", undefined, { HTTPS_PROXY: "http://env:2" }, undefined],
  ["https://127.attacker.example", undefined, { HTTPS_PROXY: "http://env:2" }, "env:2"],
  ["https://api.example", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: "example" }, undefined],
  ["https://api.example", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: ".example" }, undefined],
  ["https://notexample", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: "example" }, "env:2"],
  ["https://api.example", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: "*.example" }, undefined],
  ["https://api.example:6443", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: "api.example:443" }, "env:2"],
  ["https://api.example:6443", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: "api.example:6443" }, undefined],
  ["https://10.1.2.3", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: "10.0.0.0/8" }, undefined],
  ["https://11.1.2.3", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: "10.0.0.0/8" }, "env:2"],
  ["https://api.example", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: "*" }, undefined],
  ["https://[fd00::1]:6443", undefined, { HTTPS_PROXY: "http://env:2", NO_PROXY: "[fd00::1]" }, undefined],
])("%s with proxy-url %s and %o goes through %s", (server, own, env, expected) => {
  expect(chooseProxy(new URL(server), own, env)?.host).toBe(expected);
});
