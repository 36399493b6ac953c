/** Completes the names of objects in the cluster of the command line. Nothing is printed about a cluster that does not respond. */
import { join } from "node:path";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { ClusterError } from "../../adapters/cluster/cluster-error.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { compareText, type ObjectRef } from "../../core/model/refs.ts";
import { createLiveNames, type LiveNames } from "../../sources/cluster/live-names.ts";
import { connectCluster, loadConfigNames } from "../../sources/cluster/load-cluster.ts";
import { buildSource } from "../../sources/load-source.ts";
import type { CliIo } from "../cli-io.ts";
import { beginning, type Completion, NOTHING } from "./candidate.ts";
import { type CompleteObjects, completeIn } from "./complete-objects.ts";

/** The options of the command line so far. */
export type TypedValues = ReadonlyMap<string, readonly string[]>;

const accessOf = (values: TypedValues, io: CliIo) => {
  const last = (name: string): string | undefined => values.get(name)?.at(-1);
  return {
    kubeconfig: last("kubeconfig"),
    context: last("context"),
    cluster: last("cluster"),
    user: last("user"),
    as: last("as"),
    asUid: last("as-uid"),
    asGroups: values.get("as-group") ?? [],
    env: io.env,
    isInteractive: false,
    version: io.version(),
  };
};

/** The contexts, clusters or users of the kubeconfig files. */
export async function completeConfigNames(
  what: "context" | "cluster" | "user",
  current: string,
  values: TypedValues,
  io: CliIo,
): Promise<Completion> {
  return quietly(async () => {
    const names = await loadConfigNames(accessOf(values, io));
    return beginning(
      current,
      names[what].toSorted(compareText).map((word) => ({ word })),
    );
  });
}

/** Undefined if no cluster is chosen. */
export async function completeLive(values: TypedValues, io: CliIo): Promise<CompleteObjects | undefined> {
  const connection = await connectCluster(accessOf(values, io)).catch((error: unknown) => {
    if (error instanceof ClusterError) return undefined;
    throw error;
  });
  if (connection === undefined) return undefined;
  const names = createLiveNames(connection, cacheFolder(io));
  const namespace = values.has("all-namespaces") ? undefined : (values.get("namespace")?.at(-1) ?? names.namespace);
  const live = new LiveCompletion(names, namespace);
  const asked = (run: () => Promise<Completion>): Promise<Completion> => quietly(run).finally(() => names.close());
  return {
    targets: (current, wanted) => asked(() => live.targets(current, wanted)),
    names: (current, kind) => asked(() => live.names(current, kind)),
    namespaces: (current) => asked(() => live.namespaces(current)),
    rules: (current, words) => asked(() => live.rules(current, words)),
    policyKinds: (current) => asked(async () => (await live.known()).policyKinds(current)),
    settings: (current, kind) => asked(async () => (await live.known()).settings(current, kind)),
  };
}

/** A message would disturb the command line that is being typed. */
async function quietly(run: () => Promise<Completion>): Promise<Completion> {
  try {
    return await run();
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    if (error instanceof ClusterError || isLate) return NOTHING;
    throw error;
  }
}

function cacheFolder({ env }: CliIo): string | undefined {
  const base = env["XDG_CACHE_HOME"] ?? (env["HOME"] === undefined ? undefined : join(env["HOME"], ".cache"));
  return base === undefined ? undefined : join(base, "prevail", "completion");
}

class LiveCompletion {
  readonly #names: LiveNames;
  readonly #namespace: string | undefined;

  constructor(names: LiveNames, namespace: string | undefined) {
    this.#names = names;
    this.#namespace = namespace;
  }

  /** Words that are known without objects: the kinds, and the settings of policy kinds. */
  known(): Promise<CompleteObjects> {
    return this.#over([]);
  }

  async targets(current: string, wanted: "any" | "policy" | "target"): Promise<Completion> {
    const slash = current.indexOf("/");
    if (slash !== -1) {
      const objects = await this.#objectsOf(current.slice(0, slash), current.slice(slash + 1));
      return (await this.#over(objects)).targets(current, wanted);
    }
    const served = new Set((await this.#names.resources()).map(({ kind }) => kind));
    const { candidates } = await (await this.known()).targets(current, wanted);
    return { candidates: candidates.filter(({ help }) => help !== undefined && served.has(help)), files: false };
  }

  async names(current: string, kind: string): Promise<Completion> {
    return (await this.#over(await this.#objectsOf(kind, current))).names(current, kind);
  }

  async namespaces(current: string): Promise<Completion> {
    return (await this.#over(await this.#objectsOf("namespace", current))).namespaces(current);
  }

  async rules(current: string, words: readonly string[]): Promise<Completion> {
    const [kind = "", name = ""] = words[0]?.includes("/") === true ? words[0].split("/") : words;
    const objects = await this.#wholeObjects(await this.#resourcesNamed(kind), name);
    return (await this.#over(objects)).rules(current, words);
  }

  /** Objects of the kinds that a word means. Where the section of one is wanted, that one is whole; the others have a name only. */
  async #objectsOf(word: string, name: string): Promise<readonly JsonObject[]> {
    const resources = await this.#resourcesNamed(word);
    const hash = name.indexOf("#");
    if (hash !== -1) return this.#wholeObjects(resources, name.slice(0, hash));
    const lists = await Promise.all(
      resources.map(async (resource) => {
        const scope = resource.isNamespaced && !name.includes("/") ? this.#namespace : undefined;
        return (await this.#names.list(resource, scope)).map((ref) => namedObject(resource, ref));
      }),
    );
    return lists.flat();
  }

  async #wholeObjects(resources: readonly ApiResource[], text: string): Promise<readonly JsonObject[]> {
    const [name = "", own] = text.split("/").reverse();
    const namespace = own ?? this.#namespace ?? this.#names.namespace;
    const found = await Promise.all(
      resources.map((resource) =>
        this.#names.get(resource, { namespace: resource.isNamespaced ? namespace : "", name }),
      ),
    );
    return found.filter((object) => object !== undefined);
  }

  async #resourcesNamed(word: string): Promise<readonly ApiResource[]> {
    const wanted = word.toLowerCase();
    return (await this.#names.resources()).filter(({ kind, plural, group, shortNames }) =>
      [kind.toLowerCase(), plural, `${plural}.${group}`, `${kind.toLowerCase()}.${group}`, ...shortNames].includes(
        wanted,
      ),
    );
  }

  async #over(objects: readonly JsonObject[]): Promise<CompleteObjects> {
    const { world } = await buildSource({
      documents: objects.map((value) => ({ value })),
      findings: [],
      locate: () => undefined,
      completeness: "Partial",
      validated: true,
      origin: "",
    });
    return completeIn(world, this.#namespace);
  }
}

const namedObject = ({ group, version, kind }: ApiResource, { namespace, name }: ObjectRef): JsonObject => ({
  apiVersion: group === "" ? version : `${group}/${version}`,
  kind,
  metadata: { name, ...(namespace === "" ? {} : { namespace }) },
  // Objects without a spec are refused. Nothing that is completed depends on what is in it.
  spec: {},
});
