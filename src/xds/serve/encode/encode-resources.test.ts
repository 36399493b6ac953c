import { describe, expect, test } from "vitest";
import { createEditedGateway, createRandom } from "../../../../test/e2e/envoy/edited-gateway.ts";
import { NO_KEYS } from "../../../../test/support/gateway/envoy-plane.ts";
import { createRegex } from "../../../adapters/regex/create-regex.ts";
import { createGatewayCompiler, type EnvoyCompileOptions } from "../../compile/compile-gateway.ts";
import { createEncoder, type DiscoveryStyle, type EncodedResources } from "./encode-resources.ts";
import { RESOURCE_TYPES } from "./resource-type.ts";

const options: Omit<EnvoyCompileOptions, "delivery"> = {
  bind: (_, port) => ({ host: "127.0.0.1", port }),
  slackMs: 1,
  systemAuthorities: "/none",
  matchRegex: createRegex(),
};
const alive = [1, 2, 3].map((port) => ({ address: "127.0.0.1", port }));

/** Names and versions, in order of names: versions are hashes of the bytes. */
const versionsOf = (resources: EncodedResources): readonly string[] =>
  RESOURCE_TYPES.flatMap((type) =>
    Array.from(resources[type].keys(), (name) => `${type} ${name} ${resources[type].get(name)?.version}`),
  ).sort((a, b) => (a < b ? -1 : 1));

describe.each<DiscoveryStyle>(["Delta", "StateOfTheWorld"])("%s", (style) => {
  test.each([1, 2, 3])("after each of 300 edits it is what a fresh start gives (seed %i)", (seed) => {
    const edited = createEditedGateway(80, alive, createRandom(seed));
    const createCompiler = () => createGatewayCompiler({ ...options, delivery: style });
    const compiler = createCompiler();
    const encoder = createEncoder(style);
    for (let count = 0; count < 300; count++) {
      const { gateways, endpoints } = edited.config();
      const [gateway] = gateways;
      if (gateway === undefined) throw new Error("there is one gateway");
      const fresh = createEncoder(style).encode(createCompiler().compile(gateway, endpoints, NO_KEYS));
      expect(versionsOf(encoder.encode(compiler.compile(gateway, endpoints, NO_KEYS)))).toEqual(versionsOf(fresh));
      edited.edit();
    }
  });
});
