/** Users see what they may see and nothing else: every user, verb, namespace, policy kind and resource, against what the API server itself says of their rights. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiError } from "../../src/adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { reviewOwnAccess } from "../../src/adapters/cluster/client/reviews.ts";
import { isJsonObject, type JsonObject, objectsIn, ownValue } from "../../src/core/model/json.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_START, CLUSTER_TEST, until, untilEstablished } from "../support/kubernetes/until.ts";
import { installViewApi, startViewReplica, untilServed, type ViewReplica } from "../support/kubernetes/view-replica.ts";
import {
  clusterKindOf,
  gatewayObjects,
  KINDS,
  NAMESPACES,
  type PolicyKindName,
  pluralOf,
  policyObjects,
  rightsOf,
} from "./view-rights-objects.ts";

const parts = await findKubernetes();
const USERS = Array.from({ length: 14 }, (_, index) => `user-${index}`);
const VERBS = ["get", "list"] as const;
/** The resources of the view API, each in each namespace that it has. */
const COLLECTIONS = [
  ...["effectivepolicies", "policyreaches"].flatMap((resource) =>
    NAMESPACES.map((namespace) => ({ resource, namespace })),
  ),
  ...["clustereffectivepolicies", "clusterpolicyreaches"].map((resource) => ({ resource, namespace: "" })),
];
const CELLS = 14 * 8 * 2 * 3;
const GROUP = "/apis/view.prevail.dev/v1alpha1";

describe.skipIf(parts === undefined)("the rights of users", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let replica: ViewReplica;
  const clients = new Map<string, KubeClient>();
  beforeAll(async () => {
    if (parts === undefined) return;
    const users = Object.fromEntries(USERS.map((user) => [user, [`group-of-${user}`]]));
    plane = await startControlPlane(parts, { users, frontProxy: true });
    const apply = (items: readonly JsonObject[]): Promise<string> =>
      plane.kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const { crds, namespaces, objects } = gatewayObjects();
    await apply([...crds, ...namespaces]);
    await untilEstablished(plane.kubectl);
    await apply([...objects, ...policyObjects(), ...USERS.flatMap((user, index) => rightsOf(user, index, 0))]);
    const [port = 0] = await findFreePorts(1);
    await installViewApi(plane, port);
    await apply([readsPolicies]);
    replica = await startViewReplica(plane, { view: { host: "127.0.0.1", port } });
    await untilServed(plane);
    await until(() => replica.notes.some((note) => note.includes("has been read")));
    for (const user of USERS) clients.set(user, await clientAs(plane, user));
  }, CLUSTER_START);
  afterAll(async () => {
    for (const client of clients.values()) client.close();
    await replica?.close();
    await plane?.close();
  });

  const clientOf = (user: string): KubeClient => {
    const client = clients.get(user);
    if (client === undefined) throw new Error(`there is no user ${user}`);
    return client;
  };
  const isAllowed = async (user: string, verb: string, group: string, resource: string, namespace: string) => {
    const access = { verb, group, resource, namespace: namespace === "" ? undefined : namespace };
    return (await reviewOwnAccess(clientOf(user), access)).allowed;
  };

  /** Whether the user may get policies of each kind in each namespace, and those without one, as the API server says. */
  const readableBy = async (user: string): Promise<ReadonlySet<string>> => {
    const found = new Set<string>();
    const mayGet = (kind: string, namespace: string): Promise<boolean> =>
      isAllowed(user, "get", "view.example.com", pluralOf(kind), namespace);
    for (const kind of KINDS) {
      for (const namespace of NAMESPACES) if (await mayGet(kind, namespace)) found.add(`${kind}/${namespace}`);
      if (await mayGet(clusterKindOf(kind), "")) found.add(`${kind}/`);
    }
    return found;
  };

  /** What the user gets of the resource in the namespace: the text of all responses, or that it is forbidden. */
  const readAs = async (user: string, verb: "get" | "list", resource: string, namespace: string) => {
    const path = namespace === "" ? `${GROUP}/${resource}` : `${GROUP}/namespaces/${namespace}/${resource}`;
    if (verb === "list") return (await listPages(clientOf(user), path)) ?? "forbidden";
    const names = namesIn(resource, namespace);
    const texts = await Promise.all(names.map((name) => textOf(clientOf(user), `${path}/${name}`)));
    const shown = texts.filter((text) => text !== undefined);
    return shown.length === 0 ? "forbidden" : shown.join("\n");
  };

  const checkMatrix = async (): Promise<{
    readonly cells: number;
    readonly shown: number;
    readonly wrong: readonly string[];
  }> => {
    let cells = 0;
    let shown = 0;
    const wrong: string[] = [];
    for (const user of USERS) {
      const readable = await readableBy(user);
      for (const { resource, namespace } of COLLECTIONS)
        for (const verb of VERBS) {
          const may = await isAllowed(user, verb, "view.prevail.dev", resource, namespace);
          const text = await readAs(user, verb, resource, namespace);
          for (const kind of KINDS) {
            cells++;
            const expected = may ? expectedTokens(resource, namespace, kind, readable) : [];
            const seen = tokensIn(text, kind);
            if (seen.length > 0) shown++;
            if (seen.join() !== [...expected].sort().join())
              wrong.push(
                `${user} ${verb} ${resource} in ${namespace}, ${kind}: sees ${seen.join(" ")}; may see ${[...expected].sort().join(" ")}`,
              );
          }
        }
    }
    return { cells, shown, wrong };
  };

  test(`a matrix of ${CELLS} cells`, async () => {
    const { cells, shown, wrong } = await checkMatrix();
    expect(wrong).toEqual([]);
    expect(cells).toBe(CELLS);
    // Both outcomes are common.
    expect(shown).toBeGreaterThan(100);
    expect(cells - shown).toBeGreaterThan(100);
  });

  test("the same after rights have been revoked and others given", async () => {
    await plane.kubectl(["delete", "rolebindings,clusterrolebindings", "-A", "-l", "test=rights"]);
    const items = USERS.flatMap((user, index) => rightsOf(user, index, 1));
    await plane.kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    // Decisions are kept for five seconds.
    await sleep(5500);
    const { cells, shown, wrong } = await checkMatrix();
    expect(wrong).toEqual([]);
    expect(cells).toBe(CELLS);
    // Both outcomes are common.
    expect(shown).toBeGreaterThan(100);
    expect(cells - shown).toBeGreaterThan(100);
  });

  test("a user without any right to the view API gets nothing of it, however they ask", async () => {
    const stranger = clientOf(USERS[0] ?? "");
    await plane.kubectl(["delete", "rolebindings,clusterrolebindings", "-A", "-l", `user=${USERS[0]}`]);
    await sleep(5500);
    for (const resource of new Set(COLLECTIONS.map((one) => one.resource)))
      expect(await textOf(stranger, `${GROUP}/${resource}`)).toBeUndefined();
    // Without the right to impersonate, a user cannot borrow the rights of another.
    const asAdmin = ["get", "effectivepolicies", "-A", "--token", plane.token(USERS[0] ?? ""), "--as", "admin"];
    await expect(plane.kubectl([...asAdmin, "--as-group", "system:masters"])).rejects.toThrow("Forbidden");
  });
});

/** The role that the label `prevail.dev/aggregate-to-controller` would give the controller. */
const readsPolicies: JsonObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "prevail-controller-policies" },
  rules: [{ apiGroups: ["view.example.com"], resources: ["*"], verbs: ["get", "list", "watch"] }],
};

/** Every page of a list, one object each. A token may have nothing but a name that the page shows. */
async function listPages(client: KubeClient, path: string): Promise<string | undefined> {
  const texts: string[] = [];
  let next: string | undefined;
  try {
    do {
      const page = await client.request({ path, query: { limit: "1", continue: next } });
      const metadata = ownValue(page, "metadata");
      const token = isJsonObject(metadata) ? ownValue(metadata, "continue") : undefined;
      expect(isJsonObject(metadata) && Object.hasOwn(metadata, "remainingItemCount")).toBe(false);
      next = typeof token === "string" ? token : undefined;
      const items = objectsIn(ownValue(page, "items"));
      if (next !== undefined) expect(JSON.stringify(items)).toContain(lastName(next));
      texts.push(JSON.stringify(items));
    } while (next !== undefined);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
  return texts.join("\n");
}

function lastName(token: string): string {
  const { after } = JSON.parse(Buffer.from(token, "base64url").toString()) as { after: readonly string[] };
  return JSON.stringify(after[1]);
}

/** Undefined if it is forbidden. */
async function textOf(client: KubeClient, path: string): Promise<string | undefined> {
  try {
    return JSON.stringify(await client.request({ path }));
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}

function namesIn(resource: string, namespace: string): readonly string[] {
  if (resource === "clustereffectivepolicies") return ["gatewayclass.house"];
  if (resource === "clusterpolicyreaches")
    return KINDS.map((kind) => `${pluralOf(clusterKindOf(kind))}.view.example.com.cluster-${kind.toLowerCase()}-wide`);
  return resource === "effectivepolicies"
    ? [namespace === "infra" ? "gateway.prod" : "httproute.web"]
    : KINDS.flatMap((kind) =>
        (namespace === "infra" ? ["house"] : ["own", "ghost", "broken"]).map(
          (name) => `${pluralOf(kind)}.view.example.com.${namespace}-${kind.toLowerCase()}-${name}`,
        ),
      );
}

/** The values and names of policies of the kind that a text has. Each is unique: `infra-open-a`. */
const tokensIn = (text: string, kind: PolicyKindName): readonly string[] =>
  [
    ...new Set(text.match(new RegExp(`\\b(?:${NAMESPACES.join("|")}|cluster)-${kind.toLowerCase()}-\\w+`, "g")) ?? []),
  ].sort();

/**
 * What the user may see of the policies of a kind. `house` on the Gateway sets a and secret; `own` on each route sets b, which takes effect, and a and secret, which `house` overrides; so are all
 * settings of `ghost`. `broken` has no target. `wide` on the GatewayClass, which has no namespace, sets c.
 */
function expectedTokens(
  resource: string,
  namespace: string,
  kind: PolicyKindName,
  readable: ReadonlySet<string>,
): readonly string[] {
  const mayRead = (of: string): boolean => readable.has(`${kind}/${of}`);
  const isOpen = (of: string): boolean => mayRead(of) || kind !== "ClosedPolicy";
  const isSecretOpen = (of: string): boolean => mayRead(of) || kind === "OpenPolicy";
  const token = (of: string, name: string): string => `${of}-${kind.toLowerCase()}-${name}`;
  const tokens = new Set<string>();
  const add = (isShown: boolean, of: string, ...names: readonly string[]): void => {
    if (isShown) for (const name of names) tokens.add(token(of, name));
  };
  const isClusterOpen = readable.has(`${kind}/`) || kind !== "ClosedPolicy";
  if (resource === "clusterpolicyreaches")
    return readable.has(`${kind}/`) ? ["wide", "c"].map((name) => token("cluster", name)) : [];
  if (resource === "effectivepolicies" || resource === "clustereffectivepolicies") {
    add(true, "cluster", "wide");
    add(isClusterOpen, "cluster", "c");
    add(true, "infra", "house");
    add(isOpen("infra"), "infra", "a");
    add(isSecretOpen("infra"), "infra", "secret");
    for (const of of namespace === "infra" || namespace === "" ? ["bakery", "shop"] : [namespace]) {
      add(true, of, "own");
      add(isOpen(of), of, "b", "lost", "ghost", "ghostlost");
      add(isSecretOpen(of), of, "lostsecret");
    }
    return [...tokens];
  }
  if (!mayRead(namespace)) return [];
  add(namespace === "infra", "infra", "house", "a", "secret");
  if (namespace === "infra") return [...tokens];
  add(true, namespace, "b", "lost", "lostsecret", "ghostlost", "brokenvalue", "own", "ghost", "broken");
  add(true, "infra", "house");
  add(isOpen("infra"), "infra", "a");
  add(isSecretOpen("infra"), "infra", "secret");
  return [...tokens];
}
