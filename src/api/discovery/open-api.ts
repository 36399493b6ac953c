/** The schemas as OpenAPI v3, so that `kubectl explain` knows every field. Kubernetes, "OpenAPI V3" */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../core/model/json.ts";
import {
  VIEW_API_VERSION,
  VIEW_GROUP,
  VIEW_VERSION,
  type ViewResource,
  viewResources,
} from "../../core/view/view-resources.ts";
import { type ApiResponse, jsonResponse } from "../serve/api-response.ts";
import { metaSchemas, schemaName, schemasOf } from "./view-schemas.ts";

const DOCUMENT_PATH = `/openapi/v3/apis/${VIEW_API_VERSION}`;

/** Undefined if there is no document at the path. */
export function openApiDocument(path: string): ApiResponse | undefined {
  if (path === DOCUMENT_PATH) {
    const { text, hash } = build();
    return { status: 200, body: text, headers: { etag: `"${hash}"` } };
  }
  if (path !== "/openapi/v3") return undefined;
  const serverRelativeURL = `${DOCUMENT_PATH}?hash=${build().hash}`;
  return jsonResponse({ paths: { [`apis/${VIEW_API_VERSION}`]: { serverRelativeURL } } });
}

/** The document, which is a constant. It is built on the first request, because most processes never serve it. */
let built: { readonly text: string; readonly hash: string } | undefined;

function build(): { readonly text: string; readonly hash: string } {
  if (built !== undefined) return built;
  const text = JSON.stringify(buildDocument());
  built = { text, hash: createHash("sha256").update(text).digest("hex").slice(0, 32).toUpperCase() };
  return built;
}

const buildDocument = (): JsonObject => ({
  openapi: "3.0.0",
  info: { title: "Prevail view API", version: VIEW_VERSION },
  paths: Object.assign({}, ...viewResources.map(pathsOf)) as JsonObject,
  components: {
    schemas: Object.assign({}, metaSchemas, ...viewResources.map(({ kind }) => schemasOf(kind))) as JsonObject,
  },
});

function pathsOf({ plural, kind, isNamespaced }: ViewResource): JsonObject {
  const base = `/apis/${VIEW_API_VERSION}`;
  const collection = `${base}${isNamespaced ? "/namespaces/{namespace}" : ""}/${plural}`;
  const scope = isNamespaced ? [parameter("namespace")] : [];
  return {
    [collection]: operation("list", kind, scope),
    [`${collection}/{name}`]: operation("get", kind, [...scope, parameter("name")]),
    ...(isNamespaced ? { [`${base}/${plural}`]: operation("list", kind, []) } : {}),
  };
}

const parameter = (name: string): JsonObject => ({ name, in: "path", required: true, schema: { type: "string" } });

const operation = (action: "get" | "list", kind: string, parameters: readonly JsonObject[]): JsonObject => ({
  get: {
    description: action === "get" ? `Reads one ${kind}.` : `Lists objects of kind ${kind}.`,
    responses: {
      "200": {
        description: "OK",
        content: {
          "application/json": {
            schema: { $ref: `#/components/schemas/${schemaName(action === "get" ? kind : `${kind}List`)}` },
          },
        },
      },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: VIEW_GROUP, version: VIEW_VERSION, kind },
  },
  ...(parameters.length === 0 ? {} : { parameters }),
});
