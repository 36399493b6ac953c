/** Views as objects, tables or metadata alone, whole or as a list that is sent while it is computed. */
import type { Json } from "../../core/model/json.ts";
import type { NameKind } from "../../core/model/words/kind-names.ts";
import { VIEW_API_VERSION, type ViewResource } from "../../core/view/view-resources.ts";
import { viewCells, viewColumns } from "../../core/view/view-rows.ts";
import type { AnyView } from "../read/read-view.ts";
import type { ResponseForm } from "./negotiate.ts";

export interface ViewFormat {
  readonly form: ResponseForm;
  /** The version of `meta.k8s.io` that the client asks for. */
  readonly version: string;
  /** The part of its object that a row of a table contains. */
  readonly includeObject: "None" | "Metadata" | "Object";
  /** How the cells of a table name kinds. */
  readonly kindName: NameKind;
}

/** One view as the body of a response. */
export function formatView(view: AnyView, resource: ViewResource, format: ViewFormat): string {
  switch (format.form) {
    case "Table":
      return `${tableBegin(resource, format)}${rowText(view, format)}${LIST_END}{}}`;
    case "PartialMetadata":
      return JSON.stringify(partial(view, format));
    case "Object":
    case "AggregatedDiscovery":
      return JSON.stringify(view);
  }
}

/** The body of a list in parts. `next` is the token of the next page, known when all views have been read. */
export async function* formatList(
  views: AsyncIterable<AnyView>,
  resource: ViewResource,
  format: ViewFormat,
  next: () => string | undefined,
): AsyncGenerator<string> {
  let text = listBegin(resource, format);
  let isFirst = true;
  for await (const view of views) {
    text += `${isFirst ? "" : ","}${format.form === "Table" ? rowText(view, format) : itemText(view, format)}`;
    isFirst = false;
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  const token = next();
  yield `${text}${LIST_END}${JSON.stringify(token === undefined ? {} : { continue: token })}}`;
}

/** Views are small, so several are sent at once. */
const CHUNK = 64 * 1024;
const LIST_END = '],"metadata":';

function listBegin(resource: ViewResource, format: ViewFormat): string {
  if (format.form === "Table") return tableBegin(resource, format);
  const isPartial = format.form === "PartialMetadata";
  const apiVersion = isPartial ? `meta.k8s.io/${format.version}` : VIEW_API_VERSION;
  const kind = isPartial ? "PartialObjectMetadataList" : `${resource.kind}List`;
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"items":[`;
}

function tableBegin(resource: ViewResource, { version }: ViewFormat): string {
  const columns = viewColumns(resource).map(({ name, type, description, isWide }, index) => ({
    name,
    type,
    format: index === 0 ? "name" : "",
    description,
    priority: isWide ? 1 : 0,
  }));
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${version}","columnDefinitions":${JSON.stringify(columns)},"rows":[`;
}

function rowText(view: AnyView, format: ViewFormat): string {
  const object = rowObject(view, format);
  return JSON.stringify({ cells: viewCells(view, format.kindName), ...(object === undefined ? {} : { object }) });
}

function rowObject(view: AnyView, format: ViewFormat): object | undefined {
  switch (format.includeObject) {
    case "None":
      return undefined;
    case "Object":
      return view;
    case "Metadata":
      return partial(view, format);
  }
}

const itemText = (view: AnyView, format: ViewFormat): string =>
  JSON.stringify(format.form === "PartialMetadata" ? partial(view, format) : view);

const partial = ({ metadata }: AnyView, { version }: ViewFormat): Readonly<Record<string, Json | object>> => ({
  kind: "PartialObjectMetadata",
  apiVersion: `meta.k8s.io/${version}`,
  metadata,
});
