/** The forms of a response that a client can ask for. Kubernetes, API Concepts, "Alternate representations of resources" */

export type ResponseForm = "Object" | "Table" | "PartialMetadata" | "AggregatedDiscovery";

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The first form of the `Accept` header that there is. Undefined: none. */
export function negotiate(
  accept: string | undefined,
  forms: readonly ResponseForm[],
): { readonly form: ResponseForm; readonly version: string } | undefined {
  if (accept === undefined || accept.trim() === "") return { form: "Object", version: "" };
  for (const range of accept.split(",").map(parseRange)) {
    if (!["application/json", "application/*", "*/*"].includes(range.type)) continue;
    const as = range.parameters.get("as");
    const version = range.parameters.get("v") ?? "";
    const form = as === undefined ? "Object" : formOf(as, range.parameters.get("g") ?? "", version);
    if (form !== undefined && forms.includes(form)) return { form, version };
  }
  return undefined;
}

function formOf(as: string, group: string, version: string): ResponseForm | undefined {
  if (as === "APIGroupDiscoveryList")
    return group === "apidiscovery.k8s.io" && (version === "v2" || version === "v2beta1")
      ? "AggregatedDiscovery"
      : undefined;
  if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (as === "Table") return "Table";
  return as === "PartialObjectMetadataList" || as === "PartialObjectMetadata" ? "PartialMetadata" : undefined;
}

function parseRange(text: string): MediaRange {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = rest.map((part): readonly [string, string] => {
    const [name = "", value = ""] = part.split("=", 2);
    return [name.trim().toLowerCase(), value.trim().replaceAll('"', "")];
  });
  return { type: type.toLowerCase(), parameters: new Map(parameters) };
}
