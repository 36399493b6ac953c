import { expect, test } from "vitest";
import { createEditedGateway, createRandom } from "../../../../test/e2e/envoy/edited-gateway.ts";
import { NO_KEYS } from "../../../../test/support/gateway/envoy-plane.ts";
import { gatewayRef } from "../../../../test/support/gateway/gateway-configs.ts";
import { createRegex } from "../../../adapters/regex/create-regex.ts";
import { createGatewayCompiler } from "../../compile/compile-gateway.ts";
import { hostOfScope, listenerName, routeConfigName, scopesName } from "../../compile/resource-names.ts";
import { createEncoder, type EncodedResources } from "../encode/encode-resources.ts";
import type { ResourceTable } from "../encode/encoded-resource.ts";
import { createAcceptedVersions } from "./accepted-versions.ts";
import { type SessionRequest, type SessionResponse, XdsSession } from "./xds-session.ts";

const SCOPES = scopesName(routeConfigName(listenerName(gatewayRef, { port: 80, protocol: "HTTP" })));
const isTaken = (response: SessionResponse): SessionRequest => ({
  type: response.type,
  subscribe: [],
  unsubscribe: [],
  held: new Map(),
  nonce: response.nonce,
  refusal: undefined,
});

/** Takes everything, and asks for the routes of the scopes that it gets. */
function connect(wanted: EncodedResources) {
  const queue: SessionResponse[] = [];
  const log: string[] = [];
  const session = new XdsSession({
    wanted,
    good: createAcceptedVersions(),
    send: (response) => queue.push(response),
    onRefusal: () => {},
    nowMs: () => 0,
    lingerMs: 0,
  });
  const ask = (type: SessionRequest["type"], subscribe: readonly string[], unsubscribe: readonly string[] = []): void =>
    session.receive({ type, subscribe, unsubscribe, held: new Map(), nonce: "", refusal: undefined });
  const acknowledge = (response: SessionResponse): void => {
    const { type, resources, removed } = response;
    log.push([type, ...resources.map(({ name, version }) => `+${name}@${version}`), ...removed].sort().join(" "));
    if (type === "Cluster")
      ask(
        "Endpoints",
        resources.flatMap(({ endpoints }) => endpoints ?? []),
      );
    if (type === "Scope")
      ask(
        "Route",
        resources.map(({ name }) => hostOfScope(name)),
        removed.map(hostOfScope),
      );
    session.receive(isTaken(response));
  };
  const acknowledgeAll = (): readonly string[] => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) acknowledge(next);
    return log.splice(0);
  };
  return { session, ask, acknowledgeAll };
}

const withoutEdition = ({ get, keys }: ResourceTable): ResourceTable => ({
  get: (name) => get(name),
  keys: () => keys(),
});

test.each([1, 2])("what is looked at alone is sent as if all had been looked at (seed %i)", (seed) => {
  const edited = createEditedGateway(80, [{ address: "127.0.0.1", port: 1 }], createRandom(seed));
  const compiler = createGatewayCompiler({
    bind: (_, port) => ({ host: "127.0.0.1", port }),
    delivery: "Delta",
    slackMs: 1,
    systemAuthorities: "/none",
    matchRegex: createRegex(),
  });
  const encoder = createEncoder("Delta");
  const next = (): EncodedResources => {
    const { gateways, endpoints } = edited.config();
    const [gateway] = gateways;
    if (gateway === undefined) throw new Error("there is one gateway");
    return encoder.encode(compiler.compile(gateway, endpoints, NO_KEYS));
  };
  const forgetful = (resources: EncodedResources): EncodedResources => ({
    ...resources,
    Route: withoutEdition(resources.Route),
    VirtualHost: withoutEdition(resources.VirtualHost),
  });
  const first = next();
  const [one, other] = [connect(first), connect(forgetful(first))];
  for (const envoy of [one, other]) {
    for (const type of ["Cluster", "Listener"] as const) envoy.ask(type, []);
    envoy.ask("Scope", [SCOPES]);
    envoy.ask("Route", ["bakery/door:80"]);
    envoy.ask("VirtualHost", []);
  }
  expect(one.acknowledgeAll()).toEqual(other.acknowledgeAll());
  let sent = 0;
  for (let count = 0; count < 150; count++) {
    edited.edit();
    const resources = next();
    one.session.offer(resources);
    other.session.offer(forgetful(resources));
    const log = one.acknowledgeAll();
    expect(log).toEqual(other.acknowledgeAll());
    expect(one.session.isSettled()).toBe(true);
    sent += log.length;
  }
  expect(sent).toBeGreaterThan(50);
});
