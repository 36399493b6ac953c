import { describe, expect, test } from "vitest";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import { gateway, policy } from "../../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../../definitions/built-in-definitions.ts";
import type { JsonObject } from "../../model/json.ts";

/** The message about a RetryPolicy that cannot be parsed. */
function messageOf(spec: JsonObject): string {
  const retries = {
    ...policy("RetryPolicy", "p", ["Gateway/g"], spec, { group: "prevail.dev" }),
    apiVersion: "prevail.dev/v1alpha1",
  };
  return cluster([gateway("g"), retries], { definitions: builtInDefinitions() }).message("p");
}

describe("Invalid", () => {
  for (const [name, spec, message] of [
    [
      "a message that names its field does so once",
      { defaults: { retry: { codes: [42] } } },
      "spec.defaults.retry.codes[0] is 42; allowed: a whole number from 400 to 599",
    ],
    [
      "a message that does not name its field gets it",
      { defaults: {}, default: {} },
      "spec.default: spec has both defaults and default, two spellings of one block. Keep one of them.",
    ],
    [
      "several",
      { defaults: { retry: { codes: [42], attempts: -1 } } },
      "spec.defaults.retry.codes[0] is 42; allowed: a whole number from 400 to 599; spec.defaults.retry.attempts is -1; allowed: a whole number of at least 0",
    ],
    [
      "several sentences",
      { defaults: {}, default: {}, overrides: {}, override: {} },
      "spec.default: spec has both defaults and default, two spellings of one block. Keep one of them. spec.override: spec has both overrides and override, two spellings of one block. Keep one of them.",
    ],
  ] as const) {
    test(name, () => expect(messageOf(spec)).toBe(message));
  }
});
