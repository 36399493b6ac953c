/**
 * The condition Programmed with the embedded gateway follows what it has open
 * Gateway API, "GatewayConditionProgrammed"
 */
import { request } from "node:http";
import { createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { cluster } from "../../../test/support/cluster/cluster.ts";
import { gateway, gatewayClass, listener, route } from "../../../test/support/cluster/gateway-objects.ts";
import { findFreePorts } from "../../../test/support/gateway/find-free-ports.ts";
import { Cleanup, waitUntil } from "../../../test/support/gateway/gateway-harness.ts";
import { compileDataplane } from "../../core/compile.ts";
import type { AssignedAddress } from "../../core/gateway-status/assign-addresses.ts";
import type { DataplaneState } from "../../core/gateway-status/dataplane-state.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { type ObjectId, objectId } from "../../core/model/refs.ts";
import { NO_KEY_MATERIAL } from "../../sources/key-material.ts";
import { envoySecrets } from "../xds-secrets.ts";
import { EmbeddedDataplane } from "./embedded-dataplane.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const idOf = (name: string): ObjectId => objectId({ group: GATEWAY_API, kind: "Gateway", namespace: "default", name });
const redirect = route("r", "Gateway/door", {
  rules: [{ fields: { filters: [{ type: "RequestRedirect", requestRedirect: { hostname: "new.example" } }] } }],
});
const SECRETS = { keyMaterial: NO_KEY_MATERIAL, usable: envoySecrets(NO_KEY_MATERIAL) };

async function start(ports: readonly number[], address: AssignedAddress = { address: "127.91.9.1" }) {
  const listeners = ports.map((port, index) => listener(`l${index}`, { port }));
  const { evaluation } = cluster([
    gatewayClass("class", "prevail.dev/gateway"),
    gateway("door", { listeners }),
    redirect,
  ]);
  const seen: DataplaneState["state"][] = [];
  const dataplane = new EmbeddedDataplane({
    controllerName: "prevail.dev/gateway",
    addressOf: (id) => (id === idOf("door") ? address : undefined),
    note: () => {},
    onChange: () => seen.push(state().state),
  });
  const state = (): DataplaneState => dataplane.read()(idOf("door"));
  cleanup.add(() => dataplane.close());
  await dataplane.open();
  dataplane.replace(compileDataplane(evaluation, { endpointAnnotations: "Ignored" }), SECRETS);
  return { dataplane, state, seen };
}

const locationAt = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const asked = request({ host: "127.91.9.1", port, agent: false }, (response) => {
      response.resume();
      resolve(response.headers.location ?? String(response.statusCode));
    });
    asked.on("error", (error) => resolve(error.message));
    asked.end();
  });

test("while a port is being opened, what was reported stays; then the Gateway is served at its address", async () => {
  const [port = 0] = await findFreePorts(1);
  const { state } = await start([port]);
  expect(state()).toEqual({ state: "Updating" });
  await waitUntil(() => state().state !== "Updating");
  expect(state()).toEqual({ state: "Serving", addresses: [{ type: "IPAddress", value: "127.91.9.1" }] });
  expect(await locationAt(port)).toBe(`http://new.example:${port}/`);
});

test("a port that another program has is refused with its reason, the other one is served, and it is opened when it is free", async () => {
  const [taken = 0, port = 0] = await findFreePorts(2);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(taken, "127.91.9.1", resolve));
  const { state, seen } = await start([taken, port]);
  await waitUntil(() => state().state !== "Updating");
  expect(state()).toMatchObject({
    state: "Refused",
    ports: [taken],
    message: expect.stringContaining("another program uses") as string,
  });
  expect(await locationAt(port)).toBe(`http://new.example:${port}/`);
  await new Promise((resolve) => other.close(resolve));
  await waitUntil(() => state().state === "Serving", 5000);
  await waitUntil(() => seen.at(-1) === "Serving");
  expect(await locationAt(taken)).toBe(`http://new.example:${taken}/`);
});

test("a Gateway that is not configured is pending, and one without an address says why", async () => {
  const [port = 0] = await findFreePorts(1);
  const { dataplane } = await start([port]);
  expect(dataplane.read()(idOf("absent"))).toMatchObject({ state: "Pending" });
  const { state } = await start([port], { problem: "every address is assigned" });
  expect(state()).toEqual({ state: "AddressNotUsable", message: "every address is assigned" });
});
