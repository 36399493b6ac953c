/** Kinds that go and return, and definitions that break. `test/cluster/status-withdrawn.test.ts` has a real API server. */
import { afterEach, expect, test } from "vitest";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../test/support/cluster/gateway-objects.ts";
import { customResourceDefinition } from "../../../test/support/crd/custom-resource.ts";
import { type MemoryServer, memoryServer } from "../../../test/support/kubernetes/memory-server.ts";
import { until } from "../../../test/support/kubernetes/until.ts";
import { evaluate } from "../../core/evaluate.ts";
import { type JsonObject, objectAt, objectsIn } from "../../core/model/json.ts";
import { kindId } from "../../core/model/refs.ts";
import { buildSnapshot } from "../../core/model/snapshot.ts";
import { knownDefinitions } from "../../definitions/known-definitions.ts";
import { NO_KEY_MATERIAL } from "../../sources/key-material.ts";
import type { LiveState } from "../live-evaluation.ts";
import { StatusReporter } from "./status-reporter.ts";

const GROUP = "left.example.com";
const OURS = "prevail.dev/gateway";
const resource = {
  group: GROUP,
  version: "v1",
  kind: "LeftPolicy",
  plural: "leftpolicies",
  isNamespaced: true,
  verbs: ["list", "watch", "update"],
  shortNames: [],
  hasStatus: true,
};

const definition = (status: JsonObject, kind = "LeftPolicy", name = "left"): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name },
  spec: {
    policies: [{ group: GROUP, kind }],
    class: "Inherited",
    targeting: { kinds: ["Gateway"] },
    hierarchy: { effectiveTargets: ["HTTPRoute"] },
    status,
  },
});
const owned = definition({ owner: OURS });
const withoutAncestors = definition({ owner: OURS, ancestors: "None" });
/** Without the definition the kind is inferred from it. */
const labelled = customResourceDefinition({
  group: GROUP,
  kind: "LeftPolicy",
  plural: "leftpolicies",
  labels: { "gateway.networking.k8s.io/policy": "Inherited" },
  spec: { type: "object", properties: { targetRef: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } },
  status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  hasSubresource: true,
});
/** An error that is about no kind. */
const broken: JsonObject = { ...owned, spec: { ...objectAt(owned, "spec"), class: "Wrong" } };

/** A condition of another writer. */
const THEIRS: JsonObject = { type: "Accepted", status: "True", reason: "Theirs", message: "" };

const made: AbortController[] = [];
afterEach(() => {
  for (const one of made.splice(0)) one.abort();
});

/** `manager`: the writer of the conditions `Accepted` and `Enforced` that the policy has or gets. */
function startReporter(status: JsonObject, manager = "prevail-controller") {
  const stored: JsonObject = {
    ...policy("LeftPolicy", "p", "Gateway/g", { a: 1 }, { group: GROUP }),
    status,
  };
  const metadata = {
    ...objectAt(stored, "metadata"),
    resourceVersion: "1",
    generation: 1,
    managedFields: [
      {
        manager,
        fieldsV1: {
          "f:status": {
            "f:conditions": {
              'k:{"type":"Accepted"}': { "f:message": {} },
              'k:{"type":"Enforced"}': { "f:message": {} },
            },
          },
        },
      },
    ],
  };
  const server: MemoryServer = memoryServer({ resource, objects: [{ ...stored, metadata }] });
  const stop = new AbortController();
  made.push(stop);
  const reporter = new StatusReporter({
    client: server.client,
    controllerName: OURS,
    isOwned: () => false,
    isReported: () => false,
    isDryRun: false,
    remainingMs: () => 60_000,
    report: () => undefined,
    instance: "i",
    onEvent: () => undefined,
    signal: stop.signal,
  });
  /** The next state, as the cluster has it. `isServed`: the kind is followed. */
  const use = (definitions: readonly JsonObject[], { isServed = true, generation = 1 } = {}): void => {
    const now = server.get("p");
    const seen = { ...now, metadata: { ...objectAt(now, "metadata"), generation } };
    const others = [gatewayClass("class", OURS), gateway("g"), service("s"), routeTo("r", "Gateway/g", "s")];
    const objects = [...others, ...definitions, ...(isServed ? [seen] : [])];
    const evaluation = evaluate(
      buildSnapshot(objects, { validated: true, completeness: "Complete" }),
      knownDefinitions(),
    );
    const state: LiveState = {
      evaluation,
      unread: [],
      resources: new Map(isServed ? [[kindId(resource), resource]] : []),
      pluralOf: () => undefined,
      keyMaterial: NO_KEY_MATERIAL,
    };
    reporter.use(state, undefined);
  };
  const words = (): readonly unknown[] => {
    const written = objectAt(server.get("p"), "status");
    const entries = objectsIn(written["ancestors"]).map(({ controllerName }) => controllerName);
    return [...objectsIn(written["conditions"]).map(({ type }) => type), ...entries];
  };
  const untilWords = (wanted: readonly unknown[]): Promise<void> =>
    until(
      () => JSON.stringify(words()) === JSON.stringify(wanted),
      () => `${JSON.stringify(words())} ${server.log.join("\n")}`,
    );
  /** Waits until what was wanted before this call has been compared, and written. */
  const settled = async (): Promise<void> => {
    const { times } = reporter.counts().computed;
    await until(() => reporter.counts().computed.times > times && reporter.counts().queued === 0);
  };
  return { reporter, server, use, words, untilWords, settled };
}

for (const theirs of [[], [THEIRS]])
  test(`a kind that goes and returns, with ${theirs.length} conditions of another writer: writes are no reason to look for what is left`, async () => {
    const { reporter, server, use, untilWords, settled } = startReporter({ conditions: theirs }, "theirs");
    const types = theirs.map(({ type }) => type);
    use([owned]);
    reporter.lead();
    await untilWords([...types, OURS]);
    // What was written has been seen.
    use([owned]);
    use([], { isServed: false });
    await untilWords(types);
    await until(() => server.log.includes("LIST"));
    server.log.length = 0;
    use([owned]);
    await untilWords([...types, OURS]);
    use([owned], { generation: 2 });
    await settled();
    expect(server.log.filter((line) => line === "LIST" || line.startsWith("REVIEW"))).toEqual([]);
    expect(server.log).toContain("PUT p/status");
  });

for (const [name, one, expected] of [
  ["entries", owned, [OURS]],
  ["conditions of a policy without ancestors", withoutAncestors, ["Accepted", "Enforced"]],
] as const)
  test(`a definition that breaks, and an inferred one takes over: ${name} stay until the error is gone`, async () => {
    const { reporter, use, words, untilWords, settled } = startReporter({});
    use([one, labelled]);
    reporter.lead();
    await untilWords(expected);
    use([broken, labelled]);
    await settled();
    expect(words()).toEqual(expected);
    use([labelled]);
    await untilWords([]);
  });
