/** How long one change of a route blocks the process: a change is processed in one turn of the event loop. */
import { createRegex } from "../src/adapters/regex/create-regex.ts";
import { apply } from "../src/core/apply.ts";
import { compileDataplane, updateDataplane } from "../src/core/compile.ts";
import { evaluate } from "../src/core/evaluate.ts";
import { buildSnapshot } from "../src/core/model/snapshot.ts";
import { builtInDefinitions } from "../src/definitions/built-in-definitions.ts";
import { NO_SECRETS } from "../src/gateway/contract/secret-source.ts";
import { createGateway } from "../src/gateway/gateway.ts";
import type { BenchContext } from "./bench-context.ts";
import { gatewayObjects, routeObject } from "./gateway-routes.ts";
import { quantile, timed } from "./measure.ts";

const ROUTES = 10_000;
const CHANGES = 100;

export async function benchReload(context: BenchContext): Promise<void> {
  const objects = gatewayObjects({ routes: ROUTES, backendPort: 1 });
  const snapshot = buildSnapshot(objects);
  let evaluation = evaluate(snapshot, { definitions: builtInDefinitions() });
  let dataplane = compileDataplane(evaluation, { endpointAnnotations: "Used" });
  const gateway = createGateway({ matchRegex: createRegex(), bind: () => ({ host: "127.0.0.1", port: 0 }) });
  await gateway.replace(dataplane, NO_SECRETS);
  const times: number[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    const value = routeObject("route", (change * 97) % ROUTES, change);
    // Everything up to the first wait is one turn of the event loop. The rest waits for sockets and blocks nothing.
    const { ms, value: replaced } = timed(() => {
      const applied = apply(evaluation, [{ upsert: value }]);
      evaluation = applied.evaluation;
      dataplane = updateDataplane(dataplane, applied).dataplane;
      return gateway.replace(dataplane, NO_SECRETS);
    });
    await replaced;
    times.push(ms);
  }
  await gateway.close({ drainMs: 0 });
  const name = "one of 10,000 routes changes";
  context.report({
    case: name,
    metric: "event loop blocked, median",
    value: quantile(times, 0.5),
    unit: "ms",
    bar: 20,
  });
  context.report({
    case: name,
    metric: "event loop blocked, longest of 100",
    value: Math.max(...times),
    unit: "ms",
    bar: 20,
  });
}
