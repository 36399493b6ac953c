/** Names in a cluster, for completion: metadata only, kept in a file for a few seconds, so that the next key press costs nothing. */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { discoverResources } from "../../adapters/cluster/client/discover-resources.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { getObject } from "../../adapters/cluster/client/object-requests.ts";
import { type ApiResource, resourcePath } from "../../adapters/cluster/client/resource.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  objectsIn,
  ownValue,
  textAt,
  textsIn,
} from "../../core/model/json.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import type { ClusterConnection } from "./load-cluster.ts";

export interface LiveNames {
  /** The namespace of the context. */
  readonly namespace: string;
  /** The resources of the server, as far as they can be listed. */
  readonly resources: () => Promise<readonly ApiResource[]>;
  /** The objects of a resource, by name: in one namespace, or in all. */
  readonly list: (resource: ApiResource, namespace: string | undefined) => Promise<readonly ObjectRef[]>;
  /** One object, whole. */
  readonly get: (resource: ApiResource, ref: Pick<ObjectRef, "namespace" | "name">) => Promise<JsonObject | undefined>;
  readonly close: () => void;
}

/** A user waits for it. */
const DEADLINE_MS = 3000;
const KEPT_MS = 10_000;
/** More names than this are of no use in a completion. */
const MOST_NAMES = 500;
const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/** `folder` keeps what was read; undefined: nothing is kept. */
export function createLiveNames({ client, access }: ClusterConnection, folder: string | undefined): LiveNames {
  const { context, cluster, impersonate } = access;
  const identity = JSON.stringify([context, cluster.server, impersonate ?? null, access.user.username ?? ""]);
  const kept = async (name: string, read: () => Promise<Json>): Promise<Json> =>
    folder === undefined ? read() : readKept(join(folder, `${digest(`${identity} ${name}`)}.json`), read);
  return {
    namespace: access.namespace,
    resources: async () => {
      const found = await kept("resources", async () => {
        const { resources } = await discoverResources(client, AbortSignal.timeout(DEADLINE_MS));
        return resources.map((resource) => ({ ...resource })).filter(({ verbs }) => verbs.includes("list"));
      });
      return objectsIn(found).flatMap(parseResource);
    },
    list: async (resource, namespace) => {
      const path = resourcePath(resource, namespace);
      const found = await kept(path, () => listNames(client, path));
      return objectsIn(found).map((ref) => ({
        group: resource.group,
        kind: resource.kind,
        namespace: textAt(ref, "namespace"),
        name: textAt(ref, "name"),
      }));
    },
    get: (resource, { namespace, name }) =>
      getObject(client, resource, { namespace, name }, { deadlineMs: DEADLINE_MS }),
    close: () => client.close(),
  };
}

async function listNames(client: KubeClient, path: string): Promise<Json> {
  const list = await client.request({
    path,
    query: { limit: String(MOST_NAMES) },
    accept: METADATA,
    deadlineMs: DEADLINE_MS,
  });
  return objectsIn(ownValue(list, "items")).map((item) => {
    const metadata = ownValue(item, "metadata");
    return { namespace: textAt(metadata, "namespace"), name: textAt(metadata, "name") };
  });
}

/** Returns the content of the file if it is recent enough, else what is read now. */
async function readKept(file: string, read: () => Promise<Json>): Promise<Json> {
  const text = await readFile(file, "utf8").catch(() => "");
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) {
      const ageMs = Date.now() - Number(value["atMs"]);
      if (ageMs >= 0 && ageMs < KEPT_MS) return value["value"] ?? null;
    }
  } catch {
    // There is no such file, or another process has not finished it.
  }
  const value = await read();
  await keep(file, JSON.stringify({ atMs: Date.now(), value })).catch(() => undefined);
  return value;
}

/** Only the user may read the file. */
async function keep(file: string, text: string): Promise<void> {
  await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, text, { mode: 0o600 });
  await rename(aside, file);
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

function parseResource(value: JsonObject): readonly ApiResource[] {
  return [
    {
      group: textAt(value, "group"),
      kind: textAt(value, "kind"),
      version: textAt(value, "version"),
      plural: textAt(value, "plural"),
      isNamespaced: value["isNamespaced"] === true,
      verbs: textsIn(value["verbs"]),
      shortNames: textsIn(value["shortNames"]),
      hasStatus: value["hasStatus"] === true,
    },
  ];
}
