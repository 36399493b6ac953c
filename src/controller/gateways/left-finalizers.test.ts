import { expect, test } from "vitest";
import { cluster } from "../../../test/support/cluster/cluster.ts";
import { gatewayClass } from "../../../test/support/cluster/gateway-objects.ts";
import { worldOf } from "../../core/evaluation.ts";
import { GATEWAY_EXISTS_FINALIZER } from "../../core/gateway-status/class-finalizer.ts";
import { type JsonObject, objectAt } from "../../core/model/json.ts";
import { LeftFinalizers } from "./left-finalizers.ts";

const OURS = "prevail.dev/gateway";
const held = (name: string, controllerName: string, finalizer = GATEWAY_EXISTS_FINALIZER): JsonObject => {
  const object = gatewayClass(name, controllerName);
  return { ...object, metadata: { ...objectAt(object, "metadata"), finalizers: ["example.com/other", finalizer] } };
};

test("a class of the controller that has the finalizer of the mode gateway is named once, until the finalizer is removed", () => {
  const notes: string[] = [];
  const left = new LeftFinalizers({ controllerName: OURS, note: (message) => notes.push(message) });
  const use = (...objects: readonly JsonObject[]): void => left.use(worldOf(cluster(objects).evaluation));
  const others = [
    held("foreign", "example.com/gateway"),
    gatewayClass("free", OURS),
    held("own", OURS, "example.com/x"),
  ];
  use(...others);
  expect(notes).toEqual([]);
  use(...others, held("house", OURS));
  use(...others, held("house", OURS));
  expect(notes).toEqual([expect.stringMatching(/^GatewayClass house has the finalizer gateway-exists-finalizer\./)]);
  use(...others, gatewayClass("house", OURS));
  use(...others, held("house", OURS));
  expect(notes).toHaveLength(2);
});
