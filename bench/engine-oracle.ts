import { isJsonObject } from "../src/core/model/json.ts";
import { parseDefinition } from "../src/core/model/parse/definition/parse-definition.ts";
import { parseObject } from "../src/core/model/snapshot.ts";
import { oracle } from "../test/oracle/oracle.ts";
import type { BenchContext } from "./bench-context.ts";
import { definitionFor, FLEET } from "./cluster-shapes.ts";
import { evaluateAndRead, parseTexts, textsOf } from "./engine-fleet.ts";
import { median, timed } from "./measure.ts";

const MOST_ROUTES = 100;
const REPETITIONS = 5;

/** Compares the engine with the naive implementation of the tests. The figures have no bar. */
export function benchOracle(context: BenchContext, smallest: number): void {
  const routes = Math.min(MOST_ROUTES, smallest);
  const objects = parseTexts(textsOf({ ...FLEET, routes })).filter(isJsonObject);
  const definitions = [readDefinition()];
  const name = `fleet ${routes.toLocaleString("en-US")}`;
  const engineMs = median(Array.from({ length: REPETITIONS }, () => timed(() => evaluateAndRead(objects)).ms));
  const naive = timed(() => oracle(objects, { definitions }));
  context.report({ case: name, metric: "oracle", value: naive.ms, unit: "ms" });
  context.report({ case: name, metric: "oracle / engine", value: naive.ms / engineMs, unit: "x" });
  const isSame = naive.value.effective.length === evaluateAndRead(objects).reading.paths;
  context.report({
    case: name,
    metric: "paths the oracle finds",
    value: naive.value.effective.length,
    unit: "",
    ok: isSame,
  });
}

function readDefinition(): Parameters<typeof oracle>[1]["definitions"][number] {
  const document = parseObject(JSON.parse(JSON.stringify(definitionFor(FLEET.ends))));
  const parsed = document.state === "object" ? parseDefinition(document.object) : undefined;
  if (parsed?.definition === undefined) throw new Error("the definition in cluster-shapes.ts cannot be read");
  return parsed.definition;
}
