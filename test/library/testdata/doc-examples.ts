/** The examples of the doc comments, each as a function. Generated: npm run golden. */
import {
  type EndpointOptions,
  compileDataplane,
  updateDataplane,
} from "../../../src/dataplane.ts";
import {
  type FileSystem,
  type LoadOptions,
  type ParseOptions,
  loadFiles,
  nodeFileSystem,
  parseDocuments,
} from "../../../src/files.ts";
import {
  type CaveatQuestion,
  type CelLimits,
  type Change,
  type CheckOptions,
  type Completeness,
  type CustomStrategies,
  type CustomStrategy,
  type EffectiveFilter,
  type EvaluateCondition,
  type EvaluateOptions,
  type HowOptions,
  type MeshTraceOptions,
  type ReachOptions,
  type SnapshotOptions,
  type StatusOptions,
  type TargetRef,
  type TraceOptions,
  type TracedRequest,
  type WantedSetting,
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

export async function caveatQuestionExample(): Promise<void> {
  const about: CaveatQuestion = { about: "Objects", objects: [objectId(fridayFix)] };
  console.log(caveatsFor(evaluation, about).length);
}

export async function celLimitsExample(): Promise<void> {
  const limits: CelLimits = { maxCost: 1000, maxDepth: 20 };
  console.log(findings(evaluate(buildSnapshot(objects), { cel: createCel(limits) })).length);
}

export async function changeExample(): Promise<void> {
  const changes: readonly Change[] = [{ delete: fridayFix }, ...objects.map((upsert) => ({ upsert }))];
  console.log(apply(evaluation, changes).delta.verdicts.length);
}

export async function checkOptionsExample(): Promise<void> {
  const options: CheckOptions = { dataplane: { type: "embedded" } };
  console.log(check(evaluation, options).map(({ code }) => code));
}

export async function completenessExample(): Promise<void> {
  const completeness: Completeness = [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespaces: "All" }];
  console.log(findings(evaluate(buildSnapshot(objects, { completeness }))).length);
}

export async function customStrategiesExample(): Promise<void> {
  const strategies: CustomStrategies = { lowest: ({ challenger }) => challenger.spec };
  console.log(findings(evaluate(buildSnapshot(objects), { strategies })).length);
}

export async function customStrategyExample(): Promise<void> {
  const highest: CustomStrategy = ({ established, challenger }) => ({ ...challenger.spec, ...established.spec });
  console.log(findings(evaluate(buildSnapshot(objects), { strategies: { highest } })).length);
}

export async function effectiveFilterExample(): Promise<void> {
  const filter: EffectiveFilter = { policyKind: { group: "prevail.dev", kind: "RetryPolicy" } };
  for (const { target, spec } of effectivePolicies(evaluation, filter)) console.log(target, spec);
}

export async function endpointOptionsExample(): Promise<void> {
  const options: EndpointOptions = { endpointAnnotations: "Used" };
  console.log(compileDataplane(evaluation, options).endpoints.size);
}

export async function evaluateConditionExample(): Promise<void> {
  const never: EvaluateCondition = () => ({ state: "value", value: false });
  console.log(findings(evaluate(buildSnapshot(objects), { cel: never })).length);
}

export async function evaluateOptionsExample(): Promise<void> {
  const options: EvaluateOptions = { cel: createCel({ maxCost: 1000 }) };
  console.log(findings(evaluate(buildSnapshot(objects), options)).length);
}

export async function fileSystemExample(): Promise<void> {
  const texts = new Map([["a.yaml", "kind: Namespace\napiVersion: v1\nmetadata: {name: a}\n"]]);
  const fileSystem: FileSystem = {
    stat: async (path) => ({ type: "file", sizeBytes: texts.get(path)?.length ?? 0, realPath: path }),
    readDirectory: async () => [],
    readFile: async (path) => new TextEncoder().encode(texts.get(path)),
    readStdin: async () => new Uint8Array(),
  };
  console.log((await loadFiles(["a.yaml"], fileSystem)).documents.length);
}

export async function howOptionsExample(): Promise<void> {
  const options: HowOptions = { policyKind: { group: "prevail.dev", kind: "RetryPolicy" } };
  const answer = how(evaluation, "httproute/bakery/baker#order", [{ path: "retry.attempts", value: 0 }], options);
  console.log(answer?.kinds.map(({ state }) => state));
}

export async function loadOptionsExample(): Promise<void> {
  const options: LoadOptions = { maxFileBytes: 1024 * 1024, onFile: (file) => console.log(file) };
  console.log((await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin), options)).documents.length);
}

export async function meshTraceOptionsExample(): Promise<void> {
  const options: MeshTraceOptions = { from: "bakery" };
  console.log(traceMesh(evaluation, { method: "GET", host: "oven", path: "/" }, options)?.outcome);
}

export async function parseOptionsExample(): Promise<void> {
  const options: ParseOptions = { maxDepth: 20, maxAliases: 0 };
  console.log(parseDocuments("a: 1", "a.yaml", options).documents.length);
}

export async function reachOptionsExample(): Promise<void> {
  const options: ReachOptions = { pointer: "/retry" };
  console.log(reach(evaluation, "retrypolicy/friday-fix", options)?.values.length);
}

export async function snapshotOptionsExample(): Promise<void> {
  const options: SnapshotOptions = { completeness: "Complete" };
  console.log(findings(evaluate(buildSnapshot(objects, options))).length);
}

export async function statusOptionsExample(): Promise<void> {
  const options: StatusOptions = {
    controllerName: "example.com/controller",
    ownedKinds: [{ group: "prevail.dev", kind: "RetryPolicy" }],
  };
  console.log(buildStatus(evaluation, options).policies.length);
}

export async function targetRefExample(): Promise<void> {
  const rule: TargetRef = {
    group: "gateway.networking.k8s.io",
    kind: "HTTPRoute",
    namespace: "bakery",
    name: "baker",
    sectionName: "order",
  };
  console.log(explain(evaluation, rule)?.kinds.length);
}

export async function traceOptionsExample(): Promise<void> {
  const options: TraceOptions = { gateway: "gateway/shop" };
  console.log(trace(evaluation, { method: "GET", host: "bakery.example", path: "/menu" }, options).length);
}

export async function tracedRequestExample(): Promise<void> {
  const request: TracedRequest = { method: "GET", host: "bakery.example", path: "/menu" };
  for (const { outcome } of trace(evaluation, request)) console.log(outcome);
}

export async function wantedSettingExample(): Promise<void> {
  const wanted: readonly WantedSetting[] = [{ path: "retry.attempts", value: 2 }, { path: "timeouts.request" }];
  console.log(how(evaluation, "httproute/bakery/baker#order", wanted)?.wanted);
}
