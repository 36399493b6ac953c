import {
  apply,
  buildSnapshot,
  buildStatus,
  type CustomStrategy,
  effectivePolicies,
  evaluate,
  verdicts,
} from "../../src/index.ts";

// The definition of the policy kind, as data. Two quotas are merged by a custom function: `Custom/smallest`.
const definition = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "quotapolicies.example.com" },
  spec: {
    policies: [{ group: "example.com", kind: "QuotaPolicy" }],
    class: "Inherited",
    targeting: { kinds: ["Gateway", "HTTPRoute"] },
    hierarchy: { effectiveTargets: ["HTTPRoute"] },
    merge: { granularity: { default: "Custom/smallest" } },
  },
};

// The smallest quota takes effect. A strategy gets two specs and the metadata of their policies, and returns one spec.
const smallest: CustomStrategy = ({ established, challenger }) => ({
  requestsPerSecond: Math.min(
    Number(established.spec["requestsPerSecond"]),
    Number(challenger.spec["requestsPerSecond"]),
  ),
});

const gatewayApi = "gateway.networking.k8s.io";
const gateway = {
  apiVersion: `${gatewayApi}/v1`,
  kind: "Gateway",
  metadata: { name: "front", namespace: "bakery" },
  spec: { gatewayClassName: "any", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
};
const route = {
  apiVersion: `${gatewayApi}/v1`,
  kind: "HTTPRoute",
  metadata: { name: "baker", namespace: "bakery" },
  spec: { parentRefs: [{ name: "front" }], rules: [{ backendRefs: [{ name: "baker", port: 80 }] }] },
};
const quota = (name: string, kind: string, target: string, requestsPerSecond: number) => ({
  apiVersion: "example.com/v1",
  kind: "QuotaPolicy",
  metadata: { name, namespace: "bakery" },
  spec: { targetRef: { group: gatewayApi, kind, name: target }, requestsPerSecond },
});

const objects = [
  definition,
  gateway,
  route,
  quota("house", "Gateway", "front", 100),
  quota("ana", "HTTPRoute", "baker", 500),
];
const evaluation = evaluate(buildSnapshot(objects), { strategies: { smallest } });

// What takes effect on every path, and its source.
for (const { path, spec, sources } of effectivePolicies(evaluation)) {
  const names = path.map(({ kind, name, sectionName }) => `${kind} ${sectionName ?? name}`);
  console.log(`${names.join(" > ")}: ${JSON.stringify(spec)}`);
  for (const { pointer, policy, decidedBy } of sources)
    console.log(`  ${pointer}: from ${policy}, by ${decidedBy.strategy}`);
}

// The verdict of each policy.
for (const { policy, verdict } of verdicts(evaluation))
  console.log(policy, verdict.state === "Accepted" ? verdict.enforcement : verdict.reason);

// The status that a controller writes.
const report = buildStatus(evaluation, { controllerName: "example.com/quotas" });
for (const { policy, ancestors } of report.policies)
  for (const { ancestorRef, conditions } of ancestors)
    for (const { type, status: value, message } of conditions)
      console.log(`${policy} at ${ancestorRef.kind} ${ancestorRef.name}: ${type}=${value}, ${message}`);

// What changes without the house policy. Both evaluations stay readable.
const housePolicy = { group: "example.com", kind: "QuotaPolicy", namespace: "bakery", name: "house" };
const { delta } = apply(evaluation, [{ delete: housePolicy }]);
for (const { target, before, after } of delta.effective)
  console.log(`${target}: ${JSON.stringify(before?.spec)} -> ${JSON.stringify(after?.spec)}`);
