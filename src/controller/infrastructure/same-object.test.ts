import { describe, expect, test } from "vitest";
import type { Json } from "../../core/model/json.ts";
import { hasAll } from "./same-object.ts";

const wanted: Json = {
  spec: {
    replicas: 2,
    args: ["-c", "a"],
    containers: [{ name: "envoy", ports: [{ containerPort: 80 }] }],
  },
};
const made = (change: (spec: { [key: string]: Json }) => void): Json => {
  const copy = structuredClone(wanted) as { spec: { [key: string]: Json } };
  change(copy.spec);
  return copy;
};

describe("an object in the cluster has what is wanted", () => {
  for (const [name, object, expected] of [
    ["as it was applied", wanted, true],
    ["with defaults of the API server", made((spec) => Object.assign(spec, { paused: false })), true],
    [
      "with a container that a webhook has put before it",
      made((spec) => Object.assign(spec, { containers: [{ name: "log" }, ...(spec["containers"] as Json[])] })),
      true,
    ],
    [
      "with defaults in a container",
      made((spec) =>
        Object.assign(spec, {
          containers: [{ name: "envoy", ports: [{ containerPort: 80, protocol: "TCP" }], tty: false }],
        }),
      ),
      true,
    ],
    ["not with another value", made((spec) => Object.assign(spec, { replicas: 3 })), false],
    ["not without a field", made((spec) => void delete spec["args"]), false],
    ["not with another list of texts", made((spec) => Object.assign(spec, { args: ["-c", "a", "b"] })), false],
    ["not without the container", made((spec) => Object.assign(spec, { containers: [{ name: "other" }] })), false],
    ["not where there is none", undefined, false],
  ] as const) {
    test(name, () => expect(hasAll(object, wanted)).toBe(expected));
  }
});
