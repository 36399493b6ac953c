import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compileDataplane, updateDataplane } from "../../src/core/compile.ts";
import type { DataplaneConfig } from "../../src/core/dataplane/gateway-config.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { objectId } from "../../src/core/model/refs.ts";
import { apply, builtInDefinitions } from "../../src/index.ts";
import { plainConfig } from "../support/gateway/format-config.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { assertProperty, deepFreeze, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { playBatch, type RandomHistory, randomHistory, startState } from "./random/random-history.ts";
import { trafficHistory } from "./random/random-traffic.ts";

const OPTIONS = { endpointAnnotations: "Used" } as const;

/** Every part of a configuration, by a name that stays the same after a change. */
function partsOf({ gateways, backends, endpoints, problems }: DataplaneConfig): ReadonlyMap<string, unknown> {
  const parts = new Map<string, unknown>([
    ["gateways", gateways],
    ["problems", problems],
  ]);
  for (const gateway of gateways) {
    const at = objectId(gateway.gateway);
    parts.set(at, gateway);
    for (const port of gateway.ports) {
      parts.set(`${at} ${port.port} ${port.protocol}`, port);
      for (const listener of port.listeners) {
        const on = `${at} ${port.port} ${port.protocol} ${objectId(listener.owner)} ${listener.name}`;
        parts.set(on, listener);
        for (const host of listener.virtualHosts) {
          parts.set(`${on} ${host.hostname}`, host);
          for (const route of host.routes) {
            const rule = `${on} ${host.hostname} ${objectId(route.rule.route)} ${route.rule.rule}`;
            parts.set(rule, route.rule);
            parts.set(`${rule} ${route.match.index}`, route);
          }
        }
      }
    }
  }
  backends.forEach((backend, id) => parts.set(`backend ${id}`, backend));
  endpoints.forEach((list, id) => parts.set(`endpoints ${id}`, list));
  return parts;
}

/** Equal parts of the old and the new configuration are the same object; so is a backend in all its uses. */
function expectShared(before: DataplaneConfig, after: DataplaneConfig): void {
  const old = partsOf(before);
  for (const [name, part] of partsOf(after)) {
    const was = old.get(name);
    if (was !== part && isDeepStrictEqual(was, part)) expect.fail(`${name} is equal but a new object`);
  }
  const named = new Set<unknown>();
  after.backends.forEach((backend) => named.add(backend));
  for (const part of partsOf(after).values())
    for (const backend of backendsIn(part)) expect(named.has(backend)).toBe(true);
}

function backendsIn(part: unknown): readonly unknown[] {
  const found: unknown[] = [];
  JSON.stringify(part, (_, value: unknown) => {
    if (typeof value === "object" && value !== null && "protocol" in value && "endpoints" in value) found.push(value);
    return value;
  });
  return found;
}

function checkHistory(
  start: readonly JsonObject[],
  definitions: readonly PolicyDefinition[],
  { pool, batches }: Omit<RandomHistory, "start">,
): number {
  let state = startState(start);
  let evaluation = evaluateDocuments(state.values(), definitions);
  let dataplane = compileDataplane(evaluation, OPTIONS);
  let routes = 0;
  for (const batch of batches) {
    const before = plainConfig(dataplane);
    const captured = structuredClone(before);
    const played = playBatch(state, batch, pool);
    const applied = apply(evaluation, deepFreeze(played.changes));
    const updated = updateDataplane(dataplane, applied);
    const rebuilt = compileDataplane(evaluateDocuments(played.state.values(), definitions), OPTIONS);
    expect(plainConfig(updated.dataplane), "as compiled from scratch").toStrictEqual(plainConfig(rebuilt));
    expectShared(dataplane, updated.dataplane);
    expect(namedIn(updated.delta)).toEqual(differences(dataplane, updated.dataplane));
    expect(before, "the old configuration stays as it was").toStrictEqual(captured);
    ({ state } = played);
    ({ evaluation } = applied);
    ({ dataplane } = updated);
    routes += dataplane.parts.routes.size;
  }
  return routes;
}

const namedIn = ({ gateways, backends, endpoints }: ReturnType<typeof updateDataplane>["delta"]): readonly string[] =>
  [
    ...gateways.map(objectId),
    ...backends.map((id) => `backend ${id}`),
    ...endpoints.map((id) => `endpoints ${id}`),
  ].sort();

function differences(before: DataplaneConfig, after: DataplaneConfig): readonly string[] {
  const [old, now] = [partsOf(before), partsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter(
      (name) => old.get(name) !== now.get(name) && (/^(backend|endpoints) /.test(name) || /^Gateway[^ ]*$/.test(name)),
    )
    .sort();
}

test(`the configuration after a change equals one compiled from scratch and shares the unchanged parts (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  let routes = 0;
  const property = fc.property(trafficHistory, ({ start, ...history }) => {
    routes += checkHistory(start, builtInDefinitions(), history);
  });
  assertProperty(property, { numRuns: 400, stream: 62 });
  expect(routes, "routes are there to be changed").toBeGreaterThan(400);
});

test(`the configuration after a change of policy definitions equals one compiled from scratch (seed ${seed})`, {
  timeout: PROPERTY_TIMEOUT_MS,
}, () => {
  const property = fc.property(randomHistory, ({ start, ...history }) => {
    checkHistory(start.objects, start.definitions, history);
  });
  assertProperty(property, { numRuns: 150, stream: 63 });
});
