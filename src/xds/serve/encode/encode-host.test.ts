import { describe, expect, test } from "vitest";
import { NO_KEYS } from "../../../../test/support/gateway/envoy-plane.ts";
import { backend, gatewayConfig, retryConfig, route, rule } from "../../../../test/support/gateway/gateway-configs.ts";
import { createRegex } from "../../../adapters/regex/create-regex.ts";
import type { RouteConfig } from "../../../core/dataplane/gateway-config.ts";
import { createGatewayCompiler } from "../../compile/compile-gateway.ts";
import { type VirtualHost, VirtualHostSchema } from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { create, fromBinary } from "../../protobuf.ts";
import { createHostEncoder } from "./encode-host.ts";

function compiled(routes: readonly RouteConfig[]): readonly VirtualHost[] {
  const compiler = createGatewayCompiler({
    bind: () => ({ host: "127.0.0.1", port: 80 }),
    delivery: "Delta",
    slackMs: 1,
    systemAuthorities: "/none",
    matchRegex: createRegex(),
  });
  return [...compiler.compile(gatewayConfig(routes), new Map(), NO_KEYS).routes.values()]
    .flat()
    .map(({ host }) => host);
}

const encodeHost = createHostEncoder();
const retry = retryConfig({ backoffMs: 100 });
const header = { name: "x-loaf", value: "rye" };

describe("a virtual host as bytes says what the message says", () => {
  test.each<[string, readonly RouteConfig[]]>([
    ["no routes", []],
    ["a route for every request, by method", [route(rule([backend("bread", { retry })]))]],
    [
      "routes that share an action",
      ["/a", "/b"].map((value) => route(rule([backend("bread", { retry })]), { path: { type: "Exact", value } })),
    ],
    [
      "filters, weights and times",
      [
        route(
          rule([backend("bread", { retry }, 3), backend("rolls", { backendRequestTimeoutMs: 300 })], {
            requestTimeoutMs: 2000,
            filters: [
              { type: "ResponseHeaderModifier", remove: ["x-crumb"], set: [header], add: [] },
              { type: "URLRewrite", hostname: "inner.example", path: { type: "ReplaceFullPath", path: "/bäckerei" } },
            ],
          }),
        ),
      ],
    ],
    [
      "a response of Envoy itself",
      [route(rule([], { action: { type: "Respond", status: 500, reason: "no backend" } }))],
    ],
  ])("%s", (_, routes) => {
    for (const host of compiled(routes)) {
      expect(fromBinary(VirtualHostSchema, encodeHost(host))).toEqual(host);
    }
  });

  test("also where its length needs more than one byte, and where it is not all ASCII", () => {
    const host = create(VirtualHostSchema, { name: "ü".repeat(20_000), domains: ["a.example", "b.example"] });
    expect(fromBinary(VirtualHostSchema, encodeHost(host))).toEqual(host);
  });
});
