/** An API server with one kind of objects in memory, for unit tests of writers. Managed fields stay as they are given. */
import { ApiError } from "../../../src/adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/adapters/cluster/client/kube-client.ts";
import { type ApiResource, resourcePath } from "../../../src/adapters/cluster/client/resource.ts";
import { type JsonObject, objectAt, textAt } from "../../../src/core/model/json.ts";

/** More than any test needs: a writer that never ends fails its test. */
const MOST_REQUESTS = 1000;

export interface MemoryServer {
  readonly client: KubeClient;
  /** The requests: `GET p`, `LIST`, `PUT p`, `PUT p/status`, `REVIEW update /status`. */
  readonly log: string[];
  readonly get: (name: string) => JsonObject;
}

interface MemoryServerOptions {
  readonly resource: ApiResource;
  readonly objects: readonly JsonObject[];
  /** Decides about updates. `part`: empty for the object itself. */
  readonly mayUpdate?: (part: "" | "/status") => boolean;
  /** The object that is stored, instead of what was written. */
  readonly admit?: (written: JsonObject, before: JsonObject) => JsonObject;
  /** Called after an object is read, before the response. */
  readonly onGet?: () => void;
}

export function memoryServer(options: MemoryServerOptions): MemoryServer {
  const { resource, mayUpdate = () => true, admit = (written) => written, onGet = () => undefined } = options;
  const stored = new Map(options.objects.map((object) => [nameOf(object), object]));
  const log: string[] = [];
  const get = (name: string): JsonObject => {
    const object = stored.get(name);
    if (object === undefined) throw new ApiError(404, "NotFound", `there is no ${name}`);
    return object;
  };
  const put = (name: string, part: "" | "/status", body: JsonObject): JsonObject => {
    log.push(`PUT ${name}${part}`);
    if (!mayUpdate(part)) throw new ApiError(403, "Forbidden", "it may not be updated");
    const before = get(name);
    const metadata = objectAt(before, "metadata");
    if (versionOf(before) !== versionOf(body)) throw new ApiError(409, "Conflict", "it was changed");
    const merged =
      part === "/status"
        ? { ...before, status: objectAt(body, "status") }
        : { ...body, ...(before["status"] === undefined ? {} : { status: before["status"] }) };
    const after = admit(merged, before);
    const next = `${Number(metadata["resourceVersion"]) + 1}`;
    stored.set(name, { ...after, metadata: { ...objectAt(after, "metadata"), resourceVersion: next } });
    return get(name);
  };
  const request: KubeClient["request"] = async ({ method = "GET", path, body = {} }) => {
    if (log.length > MOST_REQUESTS) throw new Error("the requests do not end");
    if (path.endsWith("/selfsubjectaccessreviews")) {
      const asked = objectAt(objectAt(body, "spec"), "resourceAttributes");
      const part = textAt(asked, "subresource") === "status" ? "/status" : "";
      log.push(`REVIEW ${textAt(asked, "verb")} ${part}`.trim());
      return { status: { allowed: asked["verb"] !== "update" || mayUpdate(part) } };
    }
    if (path === resourcePath(resource)) {
      log.push("LIST");
      return { metadata: {}, items: [...stored.values()] };
    }
    const [, name, status] = path.match(/\/namespaces\/default\/[^/]+\/([^/]+)(\/status)?$/) ?? [];
    if (name === undefined) return { kind: "APIGroupDiscoveryList", items: [] };
    if (method === "PUT") return put(name, status === undefined ? "" : "/status", body);
    log.push(`GET ${name}`);
    const object = get(name);
    onGet();
    return object;
  };
  const stream = (): Promise<never> => Promise.reject(new Error("it does not watch"));
  return { client: { context: "c", server: "s", request, stream, close: () => undefined }, log, get };
}

const nameOf = (object: JsonObject): string => textAt(objectAt(object, "metadata"), "name");
const versionOf = (object: JsonObject): string => textAt(objectAt(object, "metadata"), "resourceVersion");
