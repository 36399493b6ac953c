import type { GroupKind } from "../../../core/model/refs.ts";

/** A resource of the API: where objects of a kind are read and written. */
export interface ApiResource extends GroupKind {
  readonly version: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  /** Names for people: `httproute`, `gtw`. */
  readonly shortNames: readonly string[];
  readonly hasStatus: boolean;
}

/** The parts of a resource that its path is built from. */
export type AddressedResource = Pick<ApiResource, "group" | "version" | "plural">;

/** The path of a collection, in all namespaces if none is given, or of one object. */
export function resourcePath({ group, version, plural }: AddressedResource, namespace?: string, name?: string): string {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespace === undefined || namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${base}${within}/${plural}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

/** `httproutes.gateway.networking.k8s.io`, as kubectl and RBAC messages name a resource. */
export const resourceName = ({ group, plural }: Pick<ApiResource, "group" | "plural">): string =>
  group === "" ? plural : `${plural}.${group}`;
