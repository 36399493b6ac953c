import { expect, test } from "vitest";
import { isLoopback } from "./xds-address.ts";

test.each(["localhost", "127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"])(
  "%s is reachable from this machine only",
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each([
  "127.attacker.example",
  "127.0.0.1.attacker.example",
  "127.0.0.1.",
  "127.1",
  "127.0.0.256",
  "127.0.0.1@attacker.example",
  "localhost.attacker.example",
  "::1.attacker.example",
  "::ffff:127.0.0.1",
  "::",
  "0.0.0.0",
  "128.0.0.1",
  "",
])("'%s' may be reachable from elsewhere", (host) => {
  expect(isLoopback(host)).toBe(false);
});
