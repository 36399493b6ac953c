import { expect, test } from "vitest";
import { packed } from "../../protobuf.ts";
import { NO_RESOURCES } from "../encode/encode-resources.ts";
import type { EncodedResource } from "../encode/encoded-resource.ts";
import { createAcceptedVersions } from "./accepted-versions.ts";

const resource = (name: string): EncodedResource => ({
  name,
  version: "1",
  any: packed("type", new Uint8Array()),
  endpoints: undefined,
});

test("hosts that come and go for ever leave nothing behind for ever; what is there stays", () => {
  const good = createAcceptedVersions();
  const steady = resource("steady.example");
  good.accept("Route", steady);
  const names = Array.from({ length: 10_000 }, (_, index) => `host-${index}.example`);
  for (const name of names) {
    const one = resource(name);
    good.keep({ ...NO_RESOURCES, Route: new Map([steady, one].map((each) => [each.name, each])) });
    good.accept("Route", one);
  }
  expect(good.find("Route", steady.name)).toBe(steady);
  expect(good.find("Route", "host-9999.example")).toBeDefined();
  expect(names.filter((name) => good.find("Route", name) !== undefined).length).toBeLessThanOrEqual(2000);
});
