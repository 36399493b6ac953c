import { afterAll, beforeAll, describe, test } from "vitest";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import { compileDataplane } from "../../../src/core/compile.ts";
import { evaluate } from "../../../src/core/evaluate.ts";
import { buildSnapshot } from "../../../src/core/model/snapshot.ts";
import { builtInDefinitions } from "../../../src/definitions/built-in-definitions.ts";
import { NO_SECRETS } from "../../../src/gateway/contract/secret-source.ts";
import { createGateway, type Gateway } from "../../../src/gateway/gateway.ts";
import { type BehaviourCluster, startCluster } from "./behaviour-cluster.ts";
import { behaviourRows } from "./behaviour-rows.ts";
import { runRow } from "./run-rows.ts";

/** The behaviour table against the embedded gateway, on real sockets: all rows at once, as requests come in life. */
describe("the embedded gateway", () => {
  let cluster: BehaviourCluster;
  let gateway: Gateway;
  let port = 0;

  beforeAll(async () => {
    cluster = await startCluster(behaviourRows, 80);
    const snapshot = buildSnapshot(cluster.objects);
    const evaluation = evaluate(snapshot, { definitions: builtInDefinitions() });
    gateway = createGateway({
      matchRegex: createRegex(),
      bind: () => ({ host: "127.0.0.1", port: 0 }),
      limits: { connectMs: 2000 },
    });
    await gateway.replace(compileDataplane(evaluation, { endpointAnnotations: "Used" }), NO_SECRETS);
    port = gateway.openPorts()[0]?.boundPort ?? 0;
  });

  afterAll(async () => {
    await gateway.close({ drainMs: 0 });
    await cluster.close();
  });

  for (const [index, { name }] of behaviourRows.entries()) {
    test.concurrent(name, async () => {
      const started = cluster.rows[index];
      if (started === undefined) throw new Error("every row was started");
      await runRow(port, started);
    });
  }
});
