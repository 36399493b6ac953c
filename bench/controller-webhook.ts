/** The admission webhooks at many routes: the time of a handler, and what a review takes beyond a webhook that does nothing. */
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { type CertifiedKey, makeAuthority, signCertificate } from "../src/adapters/certificates/make-certificates.ts";
import { apply } from "../src/core/apply.ts";
import { evaluate } from "../src/core/evaluate.ts";
import { type JsonObject, objectAt } from "../src/core/model/json.ts";
import { buildSnapshot } from "../src/core/model/snapshot.ts";
import { builtInDefinitions } from "../src/definitions/built-in-definitions.ts";
import { allocateYoung } from "../src/serve/process/allocate-young.ts";
import { formatReview, parseReview } from "../src/webhook/serve/admission-review.ts";
import { answerReview, type WebhookName, type WebhookState } from "../src/webhook/serve/answer-review.ts";
import { warmUp } from "../src/webhook/serve/warm-up.ts";
import { startWebhookServer } from "../src/webhook/serve/webhook-server.ts";
import type { BenchContext } from "./bench-context.ts";
import { median, processorMs, quantile, timed } from "./measure.ts";

const GROUP = "gateway.networking.k8s.io";
const ROUTES_PER_GATEWAY = 100;
const NAMESPACES = 20;
const TIMES = 300;
const DENY = { refuseConflicts: true, confirmAbove: 1_000_000 };

export async function benchWebhook(context: BenchContext, routes: number): Promise<void> {
  allocateYoung();
  const name = `webhooks, ${routes.toLocaleString("en")} routes`;
  const objects = clusterObjects(routes);
  const snapshot = buildSnapshot(objects, { completeness: "Complete", validated: true });
  const first = evaluate(snapshot, { definitions: builtInDefinitions() });
  // A controller has applied changes before.
  const { evaluation } = apply(first, [{ upsert: retryPolicy("warm", "team-0", "HTTPRoute", "route-0", 9) }]);
  const state: WebhookState = { evaluation, unread: [] };
  const { ms } = timed(() => warmUp(state));
  context.report({ case: name, metric: "work before the first review", value: ms, unit: "ms" });
  measureHandlers(context, name, state);
  measureFar(context, name, objects);
  await measureCalls(context, name, state);
}

function measureHandlers(context: BenchContext, name: string, state: WebhookState): void {
  const bodies = smallReviews();
  for (const webhook of ["warn", "deny"] as const) {
    // The first reviews, after no more than the controller does itself.
    const first = bodies.map((body) => handle(webhook, body, state));
    context.report({
      case: name,
      metric: `${webhook}: slowest of the first ${first.length}`,
      value: Math.max(...first),
      unit: "ms",
    });
    context.emptyNursery();
    const took: number[] = [];
    const computed: number[] = [];
    for (let i = 0; i < TIMES; i++)
      computed.push(processorMs(() => took.push(handle(webhook, bodies[i % bodies.length] ?? "", state))));
    const metric = `${webhook}: handler, up to ${ROUTES_PER_GATEWAY} paths`;
    context.report({ case: name, metric: `${metric}, p50`, value: median(took), unit: "ms" });
    context.report({ case: name, metric: `${metric}, p99`, value: quantile(took, 0.99), unit: "ms", bar: 5 });
    // On a busy machine the time says how long the process waited for a processor. That of the collector's threads is part of this one.
    const ofProcessor = `${metric}, time of all processors, p99`;
    context.report({ case: name, metric: ofProcessor, value: quantile(computed, 0.99), unit: "ms" });
  }
}

/** Deletes that reach all routes: of a policy, with CoverageRules that all or no targets meet afterwards, and of what the routes are below or in. */
function measureFar(context: BenchContext, name: string, objects: readonly JsonObject[]): void {
  const named = (kind: string, object: string): JsonObject => {
    const found = objects.find((one) => one["kind"] === kind && objectAt(one, "metadata")["name"] === object);
    if (found === undefined) throw new Error(`the cluster has ${kind} ${object}`);
    return found;
  };
  const cases: readonly (readonly [string, JsonObject, readonly JsonObject[]])[] = [
    ["a policy", classPolicy, []],
    ["a policy, with a Deny rule that stays met", classPolicy, [coverageRule("retry.attempts")]],
    [
      "a policy, with three of them",
      classPolicy,
      ["attempts", "backoff", "codes"].map((field) => coverageRule("retry.attempts", field)),
    ],
    ["a policy, with a Deny rule that it breaks", classPolicy, [coverageRule("timeouts.backendRequest")]],
    ["the GatewayClass", named("GatewayClass", "house"), []],
    ["the GatewayClass, with a Deny rule", named("GatewayClass", "house"), [coverageRule("retry.attempts")]],
    ["the Namespace of the Gateways", named("Namespace", "infra"), []],
  ];
  const wide = wideObjects(objects);
  const all = [
    ...cases.map(([what, object, rules]) => ({ what, object, cluster: [...objects, ...rules] })),
    { what: "the one Gateway of all", object: wide.gateway, cluster: wide.objects },
  ];
  for (const { what, object, cluster } of all) {
    const state = stateOf(cluster);
    context.collectGarbage();
    for (const webhook of ["warn", "deny"] as const) {
      const body = review("DELETE", undefined, object);
      handle(webhook, body, state);
      const took: number[] = [];
      const computed = Array.from({ length: 5 }, () => processorMs(() => took.push(handle(webhook, body, state))));
      const metric = `${webhook}: deleting ${what}, slowest of 5`;
      context.report({ case: name, metric, value: Math.max(...took), unit: "ms", bar: 200 });
      context.report({
        case: name,
        metric: `${metric}, time of all processors`,
        value: Math.max(...computed),
        unit: "ms",
      });
    }
  }
}

/** All routes on one Gateway. */
function wideObjects(objects: readonly JsonObject[]): {
  readonly objects: readonly JsonObject[];
  readonly gateway: JsonObject;
} {
  const isRoute = ({ kind }: JsonObject): boolean => kind === "HTTPRoute";
  const moved = objects.map((object): JsonObject => {
    const spec = { ...objectAt(object, "spec"), parentRefs: [{ name: "gateway-0", namespace: "infra" }] };
    return isRoute(object) ? { ...object, spec } : object;
  });
  const gateway = moved.find((object) => objectAt(object, "metadata")["name"] === "gateway-0");
  if (gateway === undefined) throw new Error("there is a Gateway");
  return { objects: moved, gateway };
}

function stateOf(objects: readonly JsonObject[]): WebhookState {
  const snapshot = buildSnapshot(objects, { completeness: "Complete", validated: true });
  const first = evaluate(snapshot, { definitions: builtInDefinitions() });
  // A controller has applied changes before.
  const { evaluation } = apply(first, [{ upsert: retryPolicy("warm", "team-0", "HTTPRoute", "route-0", 9) }]);
  const state: WebhookState = { evaluation, unread: [] };
  warmUp(state);
  return state;
}

const coverageRule = (setting: string, name = "rule"): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "CoverageRule",
  metadata: { name },
  spec: {
    targets: { levels: ["HTTPRoute"] },
    policyKind: "RetryPolicy",
    condition: `has(spec.${setting})`,
    enforce: "Deny",
  },
});

/** The time of one review, from its text to the text of the response. */
function handle(webhook: WebhookName, body: string, state: WebhookState): number {
  const began = performance.now();
  const review = parseReview(body);
  if (typeof review === "string") throw new Error(review);
  const reviewed = answerReview(webhook, review.request, state, { deny: DENY });
  if (reviewed === undefined) throw new Error("the state is known");
  formatReview(review.uid, reviewed.answer);
  return performance.now() - began;
}

/** Over TLS on this machine, both kinds of calls in turns. */
async function measureCalls(context: BenchContext, name: string, state: WebhookState): Promise<void> {
  const validity = { nowMs: Date.now(), days: 1 };
  const authority = await makeAuthority({ commonName: "bench", ...validity });
  const certificate = await signCertificate(authority, {
    commonName: "webhook",
    dnsNames: ["localhost"],
    usage: "Server",
    ...validity,
  });
  const real = await startWebhookServer({ host: "127.0.0.1", port: 0, certificate, state: () => state, deny: DENY });
  const idle = await startIdleWebhook(certificate);
  const agent = new Agent({ keepAlive: true, ca: authority.certificate, servername: "localhost" });
  const bodies = smallReviews();
  const [own, none]: [number[], number[]] = [[], []];
  try {
    for (let i = 0; i < TIMES + 20; i++) {
      const body = bodies[i % bodies.length] ?? "";
      const noneMs = await call(agent, idle.port, body);
      const ownMs = await call(agent, real.port, body);
      // The first calls open connections.
      if (i < 20) continue;
      own.push(ownMs);
      none.push(noneMs);
    }
  } finally {
    agent.destroy();
    await Promise.all([real.close(), idle.close()]);
  }
  const over = median(own) - median(none);
  context.report({ case: name, metric: "a call of a webhook that does nothing, p50", value: median(none), unit: "ms" });
  context.report({ case: name, metric: "a call of warn, p50", value: median(own), unit: "ms" });
  context.report({
    case: name,
    metric: "a call of warn beyond one that does nothing, p50",
    value: over,
    unit: "ms",
    bar: 2,
  });
}

async function startIdleWebhook({ certificate, privateKey }: CertifiedKey) {
  const server = createServer({ cert: certificate, key: privateKey }, (incoming, response) => {
    incoming.resume();
    incoming.on("end", () => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(formatReview("u", { warnings: [] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

function call(agent: Agent, port: number, body: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const options = { agent, host: "127.0.0.1", port, path: "/warn", method: "POST" };
    const sent = request(options, (response) => {
      response.resume();
      response.on("end", () => resolve(performance.now() - began));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const review = (operation: string, object: JsonObject | undefined, oldObject: JsonObject | undefined): string =>
  JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u",
      operation,
      userInfo: { username: "ana" },
      object: object ?? null,
      oldObject: oldObject ?? null,
    },
  });

/** Changes of a route's policy (one path), of a Gateway's policy (100 paths), and of routes. */
function smallReviews(): readonly string[] {
  return Array.from({ length: 20 }, (_, i) => {
    const team = teamOf(2 * i);
    const own = (attempts: number): JsonObject =>
      retryPolicy(`own-${2 * i}`, team, "HTTPRoute", `route-${2 * i}`, attempts);
    const house = (attempts: number): JsonObject => gatewayPolicy(i, attempts);
    return [
      review("UPDATE", own(7), own(1)),
      review("DELETE", undefined, own(1)),
      review("UPDATE", house(8), house(3)),
      review("DELETE", undefined, house(3)),
      review("CREATE", route(1_000_000 + i), undefined),
      review("DELETE", undefined, route(i)),
    ];
  }).flat();
}

const teamOf = (index: number): string => `team-${index % NAMESPACES}`;

const route = (index: number): JsonObject => ({
  apiVersion: `${GROUP}/v1`,
  kind: "HTTPRoute",
  metadata: { name: `route-${index}`, namespace: teamOf(index) },
  spec: {
    parentRefs: [{ name: `gateway-${Math.floor((index % 1_000_000) / ROUTES_PER_GATEWAY)}`, namespace: "infra" }],
    hostnames: [`host-${index}.example.com`],
    rules: [{ backendRefs: [{ name: `web-${Math.floor((index % 1_000_000) / (NAMESPACES * 10))}`, port: 80 }] }],
  },
});

const retryPolicy = (name: string, namespace: string, kind: string, target: string, attempts: number): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name, namespace, generation: 1 },
  spec: { targetRefs: [{ group: GROUP, kind, name: target }], defaults: { retry: { attempts } } },
});

const gatewayPolicy = (index: number, attempts: number): JsonObject =>
  retryPolicy(`house-${index}`, "infra", "Gateway", `gateway-${index}`, attempts);

const classPolicy: JsonObject = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "ClusterRetryPolicy",
  metadata: { name: "all", generation: 1 },
  spec: {
    targetRefs: [{ group: GROUP, kind: "GatewayClass", name: "house" }],
    overrides: { retry: { codes: [502, 503] }, timeouts: { backendRequest: "2s" } },
  },
};

/** Gateways with 100 routes each, a Service for ten routes, a policy on each Gateway, on every second route, and one on the GatewayClass. */
function clusterObjects(routes: number): readonly JsonObject[] {
  const all = Array.from({ length: routes }, (_, index) => index);
  const gateways = Array.from({ length: Math.ceil(routes / ROUTES_PER_GATEWAY) }, (_, index) => index);
  const allowedRoutes = { namespaces: { from: "All" } };
  const services = all.filter((index) => index % (NAMESPACES * 10) < NAMESPACES);
  return [
    {
      apiVersion: `${GROUP}/v1`,
      kind: "GatewayClass",
      metadata: { name: "house" },
      spec: { controllerName: "prevail.dev/gateway-controller" },
    },
    ...["infra", ...Array.from({ length: NAMESPACES }, (_, index) => teamOf(index))].map((name) => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name },
    })),
    ...services.map((index) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: `web-${Math.floor(index / (NAMESPACES * 10))}`, namespace: teamOf(index) },
      spec: { ports: [{ name: "http", port: 80 }] },
    })),
    ...gateways.map((index) => ({
      apiVersion: `${GROUP}/v1`,
      kind: "Gateway",
      metadata: { name: `gateway-${index}`, namespace: "infra" },
      spec: { gatewayClassName: "house", listeners: [{ name: "http", port: 80, protocol: "HTTP", allowedRoutes }] },
    })),
    ...all.map(route),
    ...gateways.map((index) => gatewayPolicy(index, 3)),
    ...all
      .filter((index) => index % 2 === 0)
      .map((index) => retryPolicy(`own-${index}`, teamOf(index), "HTTPRoute", `route-${index}`, 1)),
    classPolicy,
  ];
}
