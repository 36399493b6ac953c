/** The engine has no code for a policy kind: what a kind means is in its definition. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { allVendorDefinitions } from "../../src/definitions/vendor-definitions.ts";

const core = fileURLToPath(new URL("../../src/core", import.meta.url));
const sources = readdirSync(core, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: withoutComments(readFileSync(join(core, file), "utf8")) }));

/** Comments may have names as examples. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

const definitions = [...allVendorDefinitions().values()].flat();
/** Gateway API's own kinds are known: routes, Gateways and BackendTLSPolicy have rules in the specification. */
const isOfGatewayApi = (group: string): boolean => group === "" || group.startsWith("gateway.networking.");
const policies = definitions.flatMap((one) => one.policies).filter(({ group }) => !isOfGatewayApi(group));
/** Words that mean something else, too: kinds and a type of Gateway API and of Prevail, and what policies can be about. */
const SHARED_NAMES = new Set(["BackendTLSPolicy", "GatewayParameters", "HTTPRouteFilter", "Telemetry"]);

const names: readonly (readonly [what: string, names: readonly string[]])[] = [
  [
    "group",
    [
      ...policies.map(({ group }) => group),
      ...definitions
        .flatMap(({ hierarchy }) => hierarchy.kinds.map(({ group }) => group))
        .filter((one) => one.includes(".")),
    ],
  ],
  ["policy kind", policies.map(({ kind }) => kind).filter((kind) => !SHARED_NAMES.has(kind))],
  ["controller", definitions.flatMap(({ controllers }) => controllers)],
];

describe("src/core", () => {
  test("is read, and the definitions have names to look for", () => {
    expect(sources.length).toBeGreaterThan(400);
    for (const [, all] of names) expect(new Set(all).size).toBeGreaterThan(10);
  });

  test.each(names)("has no %s of an implementation", (_, all) => {
    const patterns = [...new Set(all)]
      .filter((name) => !isOfGatewayApi(name))
      .map((name) => new RegExp(`(?<![\\w.-])${name.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")}(?![\\w-])`));
    const found = sources.flatMap(({ file, text }) =>
      patterns.filter((pattern) => pattern.test(text)).map((pattern) => `${file}: ${pattern.source}`),
    );
    expect(found).toEqual([]);
  });
});
