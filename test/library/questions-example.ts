import { loadFiles, nodeFileSystem } from "../../src/files.ts";
import {
  buildSnapshot,
  check,
  evaluate,
  explain,
  findTargets,
  how,
  plan,
  reach,
  trace,
  traceMesh,
} from "../../src/index.ts";

const { documents } = await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin));
const evaluation = evaluate(buildSnapshot(documents.map(({ value }) => value)));

// explain: what takes effect on a rule, and which policy sets it?
for (const { policyKind, outcomes } of explain(evaluation, "httproute/baker#order")?.kinds ?? [])
  for (const { sources } of policyKind.kind === "RetryPolicy" ? outcomes : [])
    for (const { pointer, policy, lost } of sources)
      console.log(`${pointer} from ${policy}, ${lost.length} overridden`);

// reach: on how many paths does a policy take effect?
const reached = reach(evaluation, "retrypolicy/friday-fix");
console.log(`${reached?.policy}: ${reached?.paths.length} paths`);

// plan: what changes without that policy? A name can stand for several objects; here it stands for one.
const [fridayFix] = findTargets(evaluation, "retrypolicy/friday-fix");
const { kinds, policies } = plan(evaluation, fridayFix === undefined ? [] : [{ delete: fridayFix }]);
console.log(`${kinds.flatMap(({ changes }) => changes).length} paths and ${policies.length} policies change`);

// how: which change would give an order no retries, and what else would it change?
const asked = how(evaluation, "httproute/baker#order", [{ path: "retry.attempts", value: 0 }]);
for (const { changes, forbiddenBy } of asked?.kinds ?? [])
  console.log(
    `${changes.length} changes; the first changes ${changes[0]?.reach.others.values} other values; ask about ${forbiddenBy[0]?.policy}`,
  );

// trace: what happens to a request?
const [traced] = trace(evaluation, { method: "POST", host: "baker.bakery.example", port: 8080, path: "/orders" });
if (traced?.outcome === "Routed")
  console.log(`${traced.gateway.name}: ${traced.winner.route.name}#${traced.winner.rule}`);

// traceMesh: what happens to a request in a mesh, from a namespace to a Service?
const menu = { method: "GET", host: "baker.bakery", port: 8080, path: "/menu" };
const inMesh = traceMesh(evaluation, menu, { from: "shop" });
console.log(`${inMesh?.service.name} from ${inMesh?.from}: ${inMesh?.outcome}`);

// check: what should be fixed?
for (const { severity, code } of check(evaluation)) if (severity === "error") console.log(code);
