/** Kubernetes, "Strategic merge patch" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../model/json.ts";
import { strategicMerge } from "./strategic-merge.ts";

const pod: JsonObject = {
  hostNetwork: false,
  containers: [
    {
      name: "envoy",
      image: "envoy:1",
      args: ["-c", "a"],
      env: [{ name: "A", value: "1" }],
      ports: [
        { name: "dns", containerPort: 53, protocol: "UDP" },
        { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
      ],
    },
  ],
  tolerations: [{ key: "a" }],
};
const container = (change: JsonObject): JsonObject => ({
  ...(pod["containers"] as readonly JsonObject[])[0],
  ...change,
});

describe("a strategic merge patch", () => {
  for (const [name, patch, expected] of [
    ["changes a field", { hostNetwork: true }, { ...pod, hostNetwork: true }],
    ["removes a field by null", { tolerations: null }, { hostNetwork: false, containers: pod["containers"] ?? null }],
    [
      "merges containers by name",
      { containers: [{ name: "envoy", image: "envoy:2" }] },
      { ...pod, containers: [container({ image: "envoy:2" })] },
    ],
    [
      "adds a container",
      { containers: [{ name: "log", image: "log:1" }] },
      { ...pod, containers: [container({}), { name: "log", image: "log:1" }] },
    ],
    ["removes a container", { containers: [{ name: "envoy", $patch: "delete" }] }, { ...pod, containers: [] }],
    [
      "replaces a list without a key",
      { containers: [{ name: "envoy", args: ["-c", "b"] }], tolerations: [{ key: "b" }] },
      { ...pod, containers: [container({ args: ["-c", "b"] })], tolerations: [{ key: "b" }] },
    ],
    [
      "merges variables by name",
      { containers: [{ name: "envoy", env: [{ name: "B", value: "2" }] }] },
      {
        ...pod,
        containers: [
          container({
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
          }),
        ],
      },
    ],
    [
      "distinguishes ports of two protocols",
      { containers: [{ name: "envoy", ports: [{ containerPort: 53, name: "resolver" }] }] },
      {
        ...pod,
        containers: [
          container({
            ports: [
              { name: "dns", containerPort: 53, protocol: "UDP" },
              { name: "resolver", containerPort: 53, protocol: "TCP" },
            ],
          }),
        ],
      },
    ],
    [
      "replaces a list as a whole",
      { containers: [{ $patch: "replace" }, { name: "other", image: "other:1" }] },
      { ...pod, containers: [{ name: "other", image: "other:1" }] },
    ],
    ["replaces an object", { $patch: "replace", nodeName: "a" }, { nodeName: "a" }],
  ] as const satisfies readonly (readonly [string, JsonObject, JsonObject])[]) {
    test(name, () => expect(strategicMerge(pod, patch)).toEqual(expected));
  }

  test("changes nothing of what it is applied to", () => {
    const before = JSON.stringify(pod);
    strategicMerge(pod, { containers: [{ name: "envoy", env: [{ name: "A", value: "2" }], ports: null }] });
    expect(JSON.stringify(pod)).toBe(before);
  });
});
