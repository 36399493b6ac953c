/** From a request of the front proxy to a response. */

import type { ResourceAccess, ReviewedUser } from "../../adapters/cluster/client/reviews.ts";
import { kindNamesIn } from "../../core/effective/findings/kind-names.ts";
import type { JsonObject } from "../../core/model/json.ts";
import type { ObjectId } from "../../core/model/refs.ts";
import type { ViewContext } from "../../core/view/view-context.ts";
import { VIEW_GROUP, VIEW_VERSION, type ViewResource, viewResources } from "../../core/view/view-resources.ts";
import { discoveryDocument } from "../discovery/discovery-documents.ts";
import { openApiDocument } from "../discovery/open-api.ts";
import { listViews } from "../read/list-views.ts";
import { readView } from "../read/read-view.ts";
import type { ViewReader } from "../read/view-reader.ts";
import type { AccessReviews } from "../rights/access-reviews.ts";
import { type ApiResponse, failure } from "./api-response.ts";
import { formatContinue } from "./continue-token.ts";
import { formatList, formatView, type ViewFormat } from "./format-views.ts";
import { parseListQuery } from "./list-query.ts";
import { negotiate } from "./negotiate.ts";

export interface ViewRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly user: ReviewedUser;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

export interface RequestTools {
  /** Undefined while the cluster is read for the first time. */
  readonly context: () => ViewContext | undefined;
  readonly reviews: AccessReviews;
  /** Reads policies with their managed fields. */
  readonly loadWhole: (ids: readonly ObjectId[], signal: AbortSignal) => Promise<ReadonlyMap<ObjectId, JsonObject>>;
}

export async function handleRequest(request: ViewRequest, tools: RequestTools): Promise<ApiResponse> {
  const { method, path, accept } = request;
  const address = parseAddress(path);
  if (address !== undefined) {
    if (method !== "GET" || isWatch(request.query)) return notAllowed(request, address.resource);
    return address.name === undefined ? list(request, address, tools) : get(request, address, address.name, tools);
  }
  if (method !== "GET") return failure("MethodNotAllowed", "this API can be read only");
  const accepted = negotiate(accept, ["AggregatedDiscovery", "Object"]);
  const document = discoveryDocument(path, accepted ?? { form: "Object", version: "" });
  if (document !== undefined) return document;
  return openApiDocument(path) ?? failure("NotFound", `there is nothing at ${path}`);
}

/** The parts of a path: `/apis/view.prevail.dev/v1alpha1[/namespaces/NAMESPACE]/RESOURCE[/NAME]`. */
interface Address {
  readonly resource: ViewResource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

function parseAddress(path: string): Address | undefined {
  const parts = path.split("/").slice(1).map(decodePart);
  const [apis, group, version, ...rest] = parts;
  if (apis !== "apis" || group !== VIEW_GROUP || version !== VIEW_VERSION) return undefined;
  const isInNamespace = rest[0] === "namespaces" && rest.length >= 3;
  const [plural, name, ...others] = isInNamespace ? rest.slice(2) : rest;
  const resource = viewResources.find((one) => one.plural === plural);
  if (resource === undefined || others.length > 0 || name === "") return undefined;
  const namespace = isInNamespace ? rest[1] : undefined;
  if (namespace === "" || (namespace !== undefined && !resource.isNamespaced)) return undefined;
  // An object of a namespace has no path without one.
  return name !== undefined && resource.isNamespaced && namespace === undefined
    ? undefined
    : { resource, namespace, name };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const isWatch = (query: URLSearchParams): boolean => ["true", "1"].includes(query.get("watch") ?? "");

const notAllowed = ({ method, query }: ViewRequest, { plural }: ViewResource): ApiResponse =>
  failure(
    "MethodNotAllowed",
    `${plural}.${VIEW_GROUP} can be read with get and list only: ${isWatch(query) ? "watch" : method} is not there. 'kubectl prevail explain -w' follows changes`,
    { kind: plural },
  );

const FORMS = ["Table", "PartialMetadata", "Object"] as const;

/** Reads everything that get and list both need: the form of the response, the user's right, and the evaluation. */
async function prepare(
  request: ViewRequest,
  { resource, namespace, name }: Address,
  { context, reviews }: RequestTools,
): Promise<{ readonly reader: ViewReader; readonly format: ViewFormat } | ApiResponse> {
  const accepted = negotiate(request.accept, FORMS);
  if (accepted === undefined) return failure("NotAcceptable", "the response can be JSON, a Table or metadata");
  const include = request.query.get("includeObject") ?? "Metadata";
  if (include !== "None" && include !== "Metadata" && include !== "Object")
    return failure("BadRequest", `includeObject is '${include}': it must be None, Metadata or Object`);
  const { user } = request;
  const { plural } = resource;
  const access: ResourceAccess = {
    verb: name === undefined ? "list" : "get",
    group: VIEW_GROUP,
    resource: plural,
    namespace,
    name,
  };
  if (!(await reviews.isAllowed(user, access)))
    return failure(
      "Forbidden",
      `User ${JSON.stringify(user.user)} may not ${access.verb} ${plural}.${VIEW_GROUP}${namespace === undefined ? "" : ` in namespace ${JSON.stringify(namespace)}`}`,
      { kind: plural },
    );
  const now = context();
  if (now === undefined)
    return failure("ServiceUnavailable", "the cluster is being read: ask again in a second", { retryAfterSeconds: 1 });
  const { kindName } = kindNamesIn(now.world);
  return {
    reader: { context: now, resource, user, reviews },
    format: { ...accepted, includeObject: include, kindName },
  };
}

async function get(request: ViewRequest, address: Address, name: string, tools: RequestTools): Promise<ApiResponse> {
  const prepared = await prepare(request, address, tools);
  if (!("reader" in prepared)) return prepared;
  const { resource, namespace = "" } = address;
  const { plural } = resource;
  const blame = request.query.get("blame") ?? "false";
  if (blame !== "false" && blame !== "true")
    return failure("BadRequest", `blame is '${blame}': it must be true or false`, { kind: plural, name });
  const isBlamed = blame === "true" && resource.about === "Targets";
  const loadWhole = isBlamed ? (ids: readonly ObjectId[]) => tools.loadWhole(ids, request.signal) : undefined;
  const read = await readView({ ...prepared.reader, loadWhole }, namespace, name);
  if (read.found) return { status: 200, body: formatView(read.view, resource, prepared.format) };
  if (read.forbidden !== undefined) {
    const { group, kind } = read.forbidden;
    return failure(
      "Forbidden",
      `the reach of a policy is shown to those who may read it: you may not get ${kind} (${group})${namespace === "" ? "" : ` in namespace ${JSON.stringify(namespace)}`}`,
      { kind: plural, name },
    );
  }
  const what =
    resource.about === "Targets" ? "no policy reaches an object of this name" : "there is no policy of this name";
  return failure("NotFound", `${plural}.${VIEW_GROUP} ${JSON.stringify(name)} not found: ${what}`, {
    kind: plural,
    name,
  });
}

async function list(request: ViewRequest, address: Address, tools: RequestTools): Promise<ApiResponse> {
  const prepared = await prepare(request, address, tools);
  if (!("reader" in prepared)) return prepared;
  const query = parseListQuery(request.query);
  if (typeof query === "string") return failure("BadRequest", query, { kind: address.resource.plural });
  let next: string | undefined;
  const views = listViews(
    prepared.reader,
    { ...query, namespace: address.namespace, signal: request.signal },
    (last) => {
      next = formatContinue(last);
    },
  );
  return { status: 200, body: formatList(views, address.resource, prepared.format, () => next) };
}
