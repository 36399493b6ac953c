/** A follower of Services, and what it has been reported. */
import type { KubeClient } from "../../../src/adapters/cluster/client/kube-client.ts";
import { listObjects } from "../../../src/adapters/cluster/client/list-objects.ts";
import type { ApiResource } from "../../../src/adapters/cluster/client/resource.ts";
import { versionOf } from "../../../src/adapters/cluster/client/watch-objects.ts";
import {
  type FollowCounts,
  type FollowedChanges,
  followKind,
} from "../../../src/adapters/cluster/follow/kind-follower.ts";
import { objectKey } from "../../../src/adapters/cluster/follow/object-key.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { until } from "./until.ts";

export const services: ApiResource = {
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  isNamespaced: true,
  verbs: ["list", "watch"],
  shortNames: [],
  hasStatus: true,
};

/** What a follower has been reported, as a table. */
export class Reported {
  readonly objects = new Map<string, string>();
  readonly counts: FollowCounts = { lists: 0, watches: 0 };
  readonly troubles: (Error | undefined)[] = [];
  calls = 0;

  readonly onChanges = ({ upserted, deleted }: FollowedChanges): void => {
    this.calls++;
    for (const object of upserted) this.objects.set(objectKey(object), versionOf(object));
    for (const object of deleted) this.objects.delete(objectKey(object));
  };
}

const tableOf = (items: readonly JsonObject[]): ReadonlyMap<string, string> =>
  new Map(items.map((item) => [objectKey(item), versionOf(item)] as const));

interface Followers {
  readonly client: KubeClient;
  /** Another client, which lists what the follower must have in the end. */
  readonly writer: KubeClient;
}

/** Runs a follower during `during`, waits until it has what a fresh list has, and returns what it was reported, and that list. */
export async function followServices(
  { client, writer }: Followers,
  during: (reported: Reported) => Promise<void>,
): Promise<{ readonly reported: Reported; readonly listed: ReadonlyMap<string, string> }> {
  const reported = new Reported();
  const ended = new AbortController();
  const running = followKind({
    client,
    resource: services,
    signal: ended.signal,
    onChanges: reported.onChanges,
    onTrouble: (error) => reported.troubles.push(error),
    counts: reported.counts,
  });
  try {
    await until(() => reported.calls > 0);
    await during(reported);
    const listed = tableOf((await listObjects(writer, services)).items);
    await until(() => sameTables(reported.objects, listed)).catch(() => undefined);
    return { reported, listed };
  } finally {
    ended.abort();
    await running;
  }
}

const PATH = "/api/v1/namespaces/default/services";

export const createService = (writer: KubeClient, name: string): Promise<JsonObject> =>
  writer.request({
    method: "POST",
    path: PATH,
    body: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, annotations: { payload: "x".repeat(2000) } },
      spec: { clusterIP: "None", ports: [{ port: 80 }] },
    },
  });

export const editService = (writer: KubeClient, name: string, port: number): Promise<JsonObject> =>
  writer.request({
    method: "PATCH",
    path: `${PATH}/${name}`,
    contentType: "application/merge-patch+json",
    body: { spec: { ports: [{ port }] } },
  });

export const removeService = (writer: KubeClient, name: string): Promise<JsonObject> =>
  writer.request({ method: "DELETE", path: `${PATH}/${name}` });

const sameTables = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...b].every(([key, version]) => a.get(key) === version);
