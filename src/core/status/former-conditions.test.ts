/** The writers of conditions, by managed fields. `test/cluster/status-withdrawn.test.ts` has those of a real API server. */
import { expect, test } from "vitest";
import type { JsonObject } from "../model/json.ts";
import { isAffectedTypeOf } from "./affected-type.ts";
import { conditionsWrittenBy, withoutConditions } from "./former-conditions.ts";

const OURS = "prevail-controller";
const WHOLE: JsonObject = {};
const WORDS = ["f:type", "f:status", "f:reason", "f:message", "f:lastTransitionTime"];

/** The fields of some conditions in a list that is a map by type. */
const keyed = (...entries: readonly (readonly [type: string, fields?: readonly string[]])[]): JsonObject =>
  Object.fromEntries(
    entries.map(([type, fields = WORDS]) => [
      `k:${JSON.stringify({ type })}`,
      Object.fromEntries([".", ...fields].map((field) => [field, {}])),
    ]),
  );

const written = (types: readonly string[], by: Readonly<Record<string, JsonObject>>): JsonObject => ({
  metadata: {
    name: "p",
    managedFields: Object.entries(by).map(([manager, conditions]) => ({
      manager,
      operation: "Update",
      subresource: "status",
      fieldsV1: { "f:status": { ".": {}, "f:conditions": conditions } },
    })),
  },
  status: { conditions: types.map((type) => ({ type, status: "True" })) },
});

const isAffected = isAffectedTypeOf("prevail.dev/gateway");
const affected = "prevail.dev/RetryPolicyAffected";
const both = ["Accepted", "Enforced"];
const table: readonly (readonly [
  string,
  JsonObject,
  readonly string[],
  { readonly isPolicy?: boolean; readonly isTarget?: boolean }?,
])[] = [
  [
    "each condition has one writer",
    written(both, { [OURS]: keyed(["Enforced"]), theirs: keyed(["Accepted"]) }),
    ["Enforced"],
  ],
  ["no writer is known", written(both, {}), []],
  [
    "another writer changed the words of one",
    written(both, {
      [OURS]: keyed(["Accepted"], ["Enforced", ["f:status"]]),
      theirs: keyed(["Enforced", ["f:message"]]),
    }),
    ["Accepted"],
  ],
  [
    "another writer has a field that says nothing",
    written(both, { [OURS]: keyed(["Accepted"], ["Enforced"]), theirs: keyed(["Enforced", ["f:lastTransitionTime"]]) }),
    both,
  ],
  [
    "types that are not a policy's",
    written([...both, "Ready"], { [OURS]: keyed(["Ready"], ["Accepted"]) }),
    ["Accepted"],
  ],
  ["a list with one writer, in a policy", written(both, { [OURS]: WHOLE }), both],
  ["a list with one writer, in a target", written(both, { [OURS]: WHOLE }), [], { isPolicy: false }],
  ["a list with one writer, in a policy that is a target", written(both, { [OURS]: WHOLE }), [], { isTarget: true }],
  [
    "a list to which this controller added that the policy is affected",
    written([...both, affected], { [OURS]: WHOLE }),
    [],
  ],
  [
    "conditions by type, in a policy that is a target",
    written([...both, affected], { [OURS]: keyed(["Enforced"], [affected]), theirs: keyed(["Accepted"]) }),
    ["Enforced"],
    { isTarget: true },
  ],
  ["a list that another writer changed last", written(both, { theirs: WHOLE }), []],
  ["a list that two writers applied", written(both, { [OURS]: WHOLE, theirs: WHOLE }), []],
  [
    "a list that another writer changed as a whole, of a target",
    written(both, { [OURS]: keyed(["Accepted"]), theirs: WHOLE }),
    [],
    { isPolicy: false },
  ],
  ["keys that are not JSON", written(both, { [OURS]: { "k:{": {}, ...keyed(["Accepted"]) } }), ["Accepted"]],
];

for (const [name, object, expected, { isPolicy = true, isTarget = false } = {}] of table)
  test(`conditions that this controller wrote: ${name}`, () => {
    expect(conditionsWrittenBy(object, OURS, { isPolicy, isTarget, isAffected })).toEqual(expected);
  });

test("what is not withdrawn stays as it is", () => {
  const object = { kind: "P", status: { phase: "x", conditions: [{ type: "Accepted" }, "odd", { type: "Ready" }] } };
  expect(withoutConditions(object, ["Accepted"])).toEqual({
    kind: "P",
    status: { phase: "x", conditions: ["odd", { type: "Ready" }] },
  });
  expect(withoutConditions(object, [])).toBe(object);
});
