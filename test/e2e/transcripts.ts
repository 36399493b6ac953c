/** Command lines whose whole outcome is kept in `testdata/<folder>/<name>.txt`. They run where their files are. */
export interface Transcript {
  readonly name: string;
  /** Each without the program. */
  readonly lines: readonly string[];
}

const BAKERY = "../../../../examples/bakery";

/** RFC 0009's user stories, by their unique ids. The town of `town.yaml` is our own. */
export const userStories: readonly Transcript[] = [
  { name: "gateway-default-policy", lines: [...eachRoute("gateway-default-policy")] },
  { name: "gateway-default-policy-rule", lines: [...eachRoute("gateway-default-policy-rule")] },
  { name: "policy-constraints", lines: [...eachRoute("policy-constraints")] },
  { name: "gateway-override-policy", lines: [...eachRoute("gateway-override-policy")] },
  { name: "gateway-override-policy-rule", lines: [...eachRoute("gateway-override-policy-rule")] },
  { name: "route-replace-policy", lines: [wish("route-replace-policy")] },
  { name: "route-add-policy-rule", lines: [wish("route-add-policy-rule")] },
  { name: "route-disable-policy-rule", lines: [...eachRoute("route-disable-policy-rule")] },
  {
    name: "view-effective-policy",
    lines: [
      "get effective -f town.yaml -f gateway-default-policy-rule.yaml",
      "get effective httproute/library -o yaml -f town.yaml -f gateway-default-policy-rule.yaml",
      "trace GET http://library.example/lend -f town.yaml -f gateway-default-policy-rule.yaml",
    ],
  },
  {
    name: "view-policy-rule-status",
    lines: [
      "get policies -f town.yaml -f gateway-default-policy-rule.yaml",
      "reach ratelimitpolicy/town-limits -f town.yaml -f gateway-default-policy-rule.yaml",
    ],
  },
  {
    name: "view-policy-rule-reach",
    lines: [
      "reach ratelimitpolicy/town-limits --rule per-visitor -f town.yaml -f gateway-default-policy-rule.yaml",
      "reach ratelimitpolicy/town-limits --rule per-visitor -o name -f town.yaml -f gateway-default-policy-rule.yaml",
    ],
  },
];

/** Views of the bakery: who is concerned by a change, objects without policies, drawings. */
export const views: readonly Transcript[] = [
  {
    name: "plan-by-namespace",
    lines: [`plan --delete retrypolicy/friday-fix -f ${BAKERY}`],
  },
  {
    name: "how-to-get-it",
    lines: [
      `how httproute/baker#order retry.attempts=0 -f ${BAKERY}`,
      `how httproute/counter limits.per-client.requests=50 -o yaml -f ${BAKERY}`,
      `how grpcroute/oven timeouts.backendRequest=4s -f ${BAKERY}`,
      `how httproute/counter#rule-1 limits.breakfast.requests=3 -o yaml -f ${BAKERY}`,
      `how httproute/baker retry.atempts=0 -f ${BAKERY}`,
      `how grpcroute/oven timeouts.backendRequest- -o json -f ${BAKERY}`,
    ],
  },
  {
    name: "explain-without-policies",
    lines: ["httproute/counter", "gtw/prod", "svc/till", "httproute/stocktaking", "svc/oven -o json"].map(
      (target) =>
        `explain ${target} -f ${["gateway", "bakery", "shop"].map((name) => `${BAKERY}/${name}.yaml`).join(",")}`,
    ),
  },
  {
    name: "graph",
    lines: [
      `graph -f ${BAKERY}`,
      `graph --sections --lone -n shop -f ${BAKERY}`,
      `graph gtw/prod --depth 1 -f ${BAKERY}`,
      `graph --kind gateway,httproute,retrypolicy -f ${BAKERY}`,
      `graph httproute/baker#order -o mermaid -f ${BAKERY}`,
      `graph --kind gatway -f ${BAKERY}`,
    ],
  },
];

/** What every program should be able to say of itself. */
export const basics: readonly Transcript[] = [
  { name: "help", lines: ["help", "help explain", "check --help"] },
  { name: "version", lines: ["version", "--version", "version -o json"] },
  {
    name: "mistakes",
    lines: ["explian", "explain -f", "get polices -f .", "explain --redcat", "help me"],
  },
  {
    name: "habits",
    lines: [
      "-f ../worked-examples/retries.yaml -o name get policies",
      "-f ../worked-examples/retries.yaml,../worked-examples/hierarchy.yaml -R get policies -o name -q",
      'get policies -f ../worked-examples/hierarchy.yaml -o jsonpath={.items[*].policy.name}{"\\n"}',
      "get policies -f ../worked-examples/hierarchy.yaml -o custom-columns=NAME:.policy.name,STATE:.verdict.state",
      "get policies -f ../worked-examples/hierarchy.yaml -o jsonpath={.items[",
      "get httproutes -f ../worked-examples/hierarchy.yaml",
      "get gtw,svc --sort-by .metadata.name -f ../worked-examples/hierarchy.yaml",
      "get cachepolicy/edge-cache -o yaml -f ../worked-examples/hierarchy.yaml",
      "get httproute/nws -f ../worked-examples/hierarchy.yaml",
      "get policies -k overlays/prod",
      "get policies -f nowhere.yaml",
      "describe httproute/news -f manifests",
      "analyze -f manifests",
      "diff -f manifests",
      "validate -f manifests",
      "httproute/news -f manifests",
    ],
  },
  {
    name: "check-habits",
    lines: [
      "check -f ../worked-examples/gep-713-example-1.yaml",
      "check --fail-on error -f ../worked-examples/gep-713-example-1.yaml",
      "check --severity error --fail-on warning -f ../worked-examples/gep-713-example-1.yaml",
      "check --ignore Conflicted=colorpolicy/p2 -f ../worked-examples/gep-713-example-1.yaml",
      "check --ignore Conflictd -f ../worked-examples/gep-713-example-1.yaml",
      "check -q --ignore Conflicted -f ../worked-examples/gep-713-example-1.yaml",
    ],
  },
  {
    name: "completion",
    lines: ["completion bash", "completion zsh", "completion fish", "completion words -- ex", "completion tcsh"],
  },
];

/** The specifications' worked examples, in our own YAML, through every command. */
export const workedExamples: readonly Transcript[] = [
  ...["gep-713-example-1", "gep-713-example-2", "gep-713-example-3"].map((name) => ({
    name,
    lines: [
      `get policies -f ${name}.yaml`,
      `get effective -f ${name}.yaml`,
      `explain svc/b1 --all-paths -f ${name}.yaml`,
      `explain svc/b2 -f ${name}.yaml`,
      `reach colorpolicy/p1 -f ${name}.yaml`,
      `plan --delete colorpolicy/p1 --exit-code -f ${name}.yaml`,
      `trace GET http://g1.example/r1 -f ${name}.yaml`,
      `graph svc/b2 -f ${name}.yaml`,
      `check -f ${name}.yaml`,
    ],
  })),
  {
    name: "hierarchy",
    lines: [
      "get definitions CachePolicy -f hierarchy.yaml",
      "get targets -f hierarchy.yaml",
      "explain httproute/news -f hierarchy.yaml",
      "reach cachepolicy/edge-cache --rule cache.key -f hierarchy.yaml",
      "plan --delete cachepolicy/edge-cache -f hierarchy.yaml",
    ],
  },
  {
    name: "retries",
    lines: [
      "explain httproute/stubborn -f retries.yaml",
      "trace GET http://any.example/ -f retries.yaml",
      "retries --attempts 2 --backoff 100ms --backend-request 400ms --request 1s",
      "check -f retries.yaml",
    ],
  },
];

/** Output for a route with a policy of its own, and for one without. */
function eachRoute(story: string): readonly string[] {
  return ["library", "museum"].map((route) => `explain httproute/${route} -f town.yaml -f ${story}.yaml`);
}

/** What an application developer would get by applying what they wish for, not knowing what there is. */
function wish(story: string): string {
  return `plan -f town.yaml -f ${story}.yaml --apply ${story}-wish.yaml`;
}
