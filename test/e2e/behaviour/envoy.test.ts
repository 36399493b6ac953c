import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileDataplane } from "../../../src/core/compile.ts";
import { evaluate } from "../../../src/core/evaluate.ts";
import { buildSnapshot } from "../../../src/core/model/snapshot.ts";
import { builtInDefinitions } from "../../../src/definitions/built-in-definitions.ts";
import type { EnvoyDataplane } from "../../../src/xds/serve/envoy/envoy-dataplane.ts";
import { findEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS, startEnvoyPlane } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { type BehaviourCluster, startCluster } from "./behaviour-cluster.ts";
import { behaviourRows } from "./behaviour-rows.ts";
import { runRow } from "./run-rows.ts";

/** Where Envoy does otherwise, with the reason in docs/envoy.md. Each must still differ, or it does not belong here. */
const DIFFERENCES: readonly string[] = [
  "budget › of the RetryPolicy",
  "budget › of the XBackendTrafficPolicy",
  "budget › of both, the tighter one counts",
];

const envoyPath = findEnvoy();

/** Hosts reach an Envoy in two ways, and behave the same. */
const SHAPES = [
  { shape: "a scope for each host", scopesFrom: 0 },
  { shape: "hosts in one table", scopesFrom: Number.POSITIVE_INFINITY },
];

/** The behaviour table against Envoy, configured over xDS: the same rows, and the same expectations. */
describe.skipIf(envoyPath === undefined).each(SHAPES)("Envoy, $shape", ({ scopesFrom }) => {
  let cluster: BehaviourCluster;
  let plane: EnvoyDataplane;
  let port = 0;
  let problems: readonly string[] = [];

  beforeAll(async () => {
    cluster = await startCluster(behaviourRows, 80);
    // Last: a port that is free now may be that of one of two hundred backends a moment later.
    [port = 0] = await findFreePorts(1);
    const snapshot = buildSnapshot(cluster.objects);
    const evaluation = evaluate(snapshot, { definitions: builtInDefinitions() });
    plane = await startEnvoyPlane(envoyPath, port, { concurrency: 2, scopesFrom });
    const config = compileDataplane(evaluation, { endpointAnnotations: "Used" });
    problems = await plane.replace(config, NO_KEYS);
  }, 60_000);

  afterAll(async () => {
    await plane.close(0);
    await cluster.close();
  });

  for (const [index, { name }] of behaviourRows.entries()) {
    const run = DIFFERENCES.includes(name) ? test.concurrent.fails : test.concurrent;
    run(name, async () => {
      const started = cluster.rows[index];
      if (started === undefined) throw new Error("every row was started");
      await runRow(port, started);
    });
  }

  test("each difference is a known one of Envoy, and is reported", () => {
    const rows = behaviourRows.flatMap(({ name }, index) => (DIFFERENCES.includes(name) ? [`row-${index}`] : []));
    expect(rows).toHaveLength(DIFFERENCES.length);
    for (const row of rows) expect(problems.join("\n")).toContain(`HTTPRoute table/${row}: spec.rules`);
    expect(problems).toHaveLength(DIFFERENCES.length);
  });
});
