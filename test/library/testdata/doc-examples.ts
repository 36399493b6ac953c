/** The examples of the doc comments, each as a function. Generated: npm run golden. */
import { compileDataplane, updateDataplane } from "../../../src/dataplane.ts";
import { loadFiles, nodeFileSystem, parseDocuments } from "../../../src/files.ts";
import {
  affected,
  apply,
  buildSnapshot,
  buildStatus,
  builtInDefinitions,
  caveatsFor,
  check,
  createCel,
  effectivePolicies,
  evaluate,
  explain,
  findings,
  findTargets,
  how,
  objectId,
  parseObjectId,
  parseTargetId,
  plan,
  reach,
  trace,
  traceMesh,
  vendorDefinitions,
  verdicts,
} from "../../../src/index.ts";

const loaded = await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin));
const objects = loaded.documents.map(({ value }) => value);
const evaluation = evaluate(buildSnapshot(objects));
const fridayFix = { group: "prevail.dev", kind: "RetryPolicy", namespace: "infra", name: "friday-fix" };

export async function affectedExample(): Promise<void> {
  for (const { target, policies } of affected(evaluation)) console.log(target, policies);
}

export async function applyExample(): Promise<void> {
  const { evaluation: next, delta } = apply(evaluation, [{ delete: fridayFix }]);
  console.log(findings(next).length, delta.effective.length, delta.verdicts.length);
}

export async function buildSnapshotExample(): Promise<void> {
  const snapshot = buildSnapshot(objects, { positions: objects.map((_, index) => ({ file: "a.yaml", line: index + 1, column: 1 })) });
  console.log(findings(evaluate(snapshot)).length);
}

export async function buildStatusExample(): Promise<void> {
  const { policies } = buildStatus(evaluation, { controllerName: "example.com/controller" });
  for (const { policy, ancestors } of policies) console.log(policy, ancestors.length);
}

export async function builtInDefinitionsExample(): Promise<void> {
  const kinds = builtInDefinitions().flatMap(({ policies }) => policies.map(({ kind }) => kind));
  console.log(kinds);
}

export async function caveatsForExample(): Promise<void> {
  const caveats = caveatsFor(evaluation, { about: "Input" });
  console.log(caveats.length === 0 ? "complete" : caveats.map(({ severity, message }) => `${severity}: ${message}`).join("\n"));
}

export async function checkExample(): Promise<void> {
  for (const { severity, code, message, fix } of check(evaluation))
    if (severity === "error") console.log(code, message, fix);
}

export async function compileDataplaneExample(): Promise<void> {
  const { gateways, problems } = compileDataplane(evaluation, { endpointAnnotations: "Ignored" });
  console.log(gateways.map(({ gateway }) => gateway.name), problems.length);
}

export async function createCelExample(): Promise<void> {
  const cel = createCel({ maxCost: 1000 });
  const evaluation = evaluate(buildSnapshot(objects), { cel });
  console.log(findings(evaluation).length);
}

export async function effectivePoliciesExample(): Promise<void> {
  const policyKind = { group: "prevail.dev", kind: "RetryPolicy" };
  for (const { target, spec, sources } of effectivePolicies(evaluation, { policyKind })) console.log(target, spec, sources.length);
}

export async function evaluateExample(): Promise<void> {
  const snapshot = buildSnapshot(objects);
  const evaluation = evaluate(snapshot);
  console.log(findings(evaluation).length);
}

export async function explainExample(): Promise<void> {
  const explanation = explain(evaluation, "httproute/bakery/baker#order");
  for (const { policyKind, outcomes } of explanation?.kinds ?? [])
    for (const { sources } of outcomes)
      for (const { pointer, policy } of sources) console.log(policyKind.kind, pointer, policy);
}

export async function findTargetsExample(): Promise<void> {
  const [route] = findTargets(evaluation, "httproute/baker#order");
  console.log(route?.namespace, route?.sectionName);
}

export async function findingsExample(): Promise<void> {
  for (const { severity, message, source } of findings(evaluation)) console.log(severity, source?.file, message);
}

export async function howExample(): Promise<void> {
  const answer = how(evaluation, "httproute/bakery/baker#order", [{ path: "retry.attempts", value: 0 }]);
  for (const { changes } of answer?.kinds ?? [])
    for (const { steps, reach } of changes) console.log(steps.map(({ summary }) => summary).join(", then "), reach.others.values);
}

export async function loadFilesExample(): Promise<void> {
  const { documents, findings: problems } = await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin));
  console.log(documents.length, problems.length);
}

export async function nodeFileSystemExample(): Promise<void> {
  const { files } = await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin));
  console.log(files);
}

export async function objectIdExample(): Promise<void> {
  const till = objectId({ group: "", kind: "Service", namespace: "shop", name: "till" });
  console.log([...effectivePolicies(evaluation, { object: till })].length);
}

export async function parseDocumentsExample(): Promise<void> {
  const { documents } = parseDocuments("kind: A\nspec: {b: 1}\n", "a.yaml");
  console.log(documents[0]?.locate("/spec/b"));
}

export async function parseObjectIdExample(): Promise<void> {
  for (const { policy } of verdicts(evaluation)) console.log(parseObjectId(policy).name);
}

export async function parseTargetIdExample(): Promise<void> {
  for (const { target } of effectivePolicies(evaluation)) console.log(parseTargetId(target).sectionName);
}

export async function planExample(): Promise<void> {
  const { policies, kinds } = plan(evaluation, [{ delete: fridayFix }]);
  console.log(policies.map(({ policy }) => policy), kinds.flatMap(({ changes }) => changes).length);
}

export async function reachExample(): Promise<void> {
  const found = reach(evaluation, "retrypolicy/friday-fix", { pointer: "/retry/attempts" });
  console.log(found?.paths.length, found?.values.map(({ value, overridden }) => ({ value, overridden })));
}

export async function traceExample(): Promise<void> {
  const [first] = trace(evaluation, { method: "POST", host: "baker.bakery.example", port: 8080, path: "/orders" });
  console.log(first?.gateway.name, first?.outcome);
}

export async function traceMeshExample(): Promise<void> {
  const request = { method: "GET", host: "baker.bakery", port: 8080, path: "/menu" };
  const traced = traceMesh(evaluation, request, { from: "shop" });
  console.log(traced?.service.name, traced?.outcome);
}

export async function updateDataplaneExample(): Promise<void> {
  const before = compileDataplane(evaluation, { endpointAnnotations: "Ignored" });
  const applied = apply(evaluation, [{ delete: fridayFix }]);
  const { dataplane, delta } = updateDataplane(before, applied);
  console.log(dataplane.gateways.length, delta.gateways);
}

export async function vendorDefinitionsExample(): Promise<void> {
  const kind = { group: "gateway.envoyproxy.io", kind: "SecurityPolicy" };
  console.log(vendorDefinitions().find(kind)?.class);
}

export async function verdictsExample(): Promise<void> {
  for (const { policy, verdict } of verdicts(evaluation))
    console.log(policy, verdict.state === "Accepted" ? verdict.enforcement : verdict.reason);
}
