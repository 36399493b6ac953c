import { describe, expect, test } from "vitest";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import { gateway, policy } from "../../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../../definitions/built-in-definitions.ts";
import type { JsonObject } from "../../model/json.ts";

/** What is said of a RetryPolicy that cannot be read. */
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
      "spec.defaults.retry.codes[0] must be a whole number from 100 to 999, found number 42",
    ],
    [
      "a message that does not is told with it",
      { defaults: {}, default: {} },
      "spec.default: spec has both defaults and default, two spellings of one block. Keep one of them.",
    ],
    [
      "several",
      { defaults: { retry: { codes: [42], attempts: -1 } } },
      "spec.defaults.retry.codes[0] must be a whole number from 100 to 999, found number 42; spec.defaults.retry.attempts must be a whole number of at least 0, found number -1",
    ],
    [
      "several sentences",
      { defaults: { when: 7 }, overrides: { when: 8 } },
      "spec.defaults.when is 7; allowed: a CEL expression as a string. spec.overrides.when is 8; allowed: a CEL expression as a string.",
    ],
  ] as const) {
    test(name, () => expect(messageOf(spec)).toBe(message));
  }
});
