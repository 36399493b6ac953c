/** The resources of the API. Kubernetes, "API Discovery": the aggregated form, and one document for each group and version. */
import type { JsonObject } from "../../core/model/json.ts";
import { VIEW_API_VERSION, VIEW_GROUP, VIEW_VERSION, viewResources } from "../../core/view/view-resources.ts";
import { type ApiResponse, jsonResponse } from "../serve/api-response.ts";
import type { ResponseForm } from "../serve/negotiate.ts";

const VERBS = ["get", "list"];
const VERSION: JsonObject = { groupVersion: VIEW_API_VERSION, version: VIEW_VERSION };
const GROUP: JsonObject = { name: VIEW_GROUP, versions: [VERSION], preferredVersion: VERSION };

const documents: Readonly<Record<string, JsonObject>> = {
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [GROUP] },
  [`/apis/${VIEW_GROUP}`]: { kind: "APIGroup", apiVersion: "v1", ...GROUP },
  [`/apis/${VIEW_API_VERSION}`]: {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: VIEW_API_VERSION,
    resources: viewResources.map(({ plural, singular, kind, isNamespaced, shortNames }) => ({
      name: plural,
      singularName: singular,
      namespaced: isNamespaced,
      kind,
      verbs: VERBS,
      ...(shortNames.length === 0 ? {} : { shortNames }),
    })),
  },
};

const aggregated = (version: string): JsonObject => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: `apidiscovery.k8s.io/${version}`,
  metadata: {},
  items: [
    {
      metadata: { name: VIEW_GROUP },
      versions: [
        {
          version: VIEW_VERSION,
          freshness: "Current",
          resources: viewResources.map(({ plural, singular, kind, isNamespaced, shortNames }) => ({
            resource: plural,
            singularResource: singular,
            responseKind: { group: VIEW_GROUP, version: VIEW_VERSION, kind },
            scope: isNamespaced ? "Namespaced" : "Cluster",
            verbs: VERBS,
            ...(shortNames.length === 0 ? {} : { shortNames }),
          })),
        },
      ],
    },
  ],
});

/** Undefined if there is none at the path. */
export function discoveryDocument(
  path: string,
  { form, version }: { readonly form: ResponseForm; readonly version: string },
): ApiResponse | undefined {
  const wanted = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (wanted === "/apis" && form === "AggregatedDiscovery")
    return jsonResponse(aggregated(version), {
      "content-type": `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      vary: "Accept",
    });
  const document = Object.hasOwn(documents, wanted) ? documents[wanted] : undefined;
  return document === undefined ? undefined : jsonResponse(document, { vary: "Accept" });
}
