/** The definitions of the policy kinds of Gateway API implementations. They are parsed when an input has such kinds, a vendor at a time. */
import { once } from "../core/model/collections/once.ts";
import type { DefinitionLibrary, PolicyDefinition } from "../core/model/definition.ts";
import { isJsonObject, objectsIn, ownValue } from "../core/model/json.ts";
import { kindId } from "../core/model/refs.ts";
import { vendorDocuments } from "./gen/vendor-documents.ts";
import { parseDocument } from "./parse-document.ts";

/**
 * The definitions of the kinds of implementations, for the option `library` of `evaluate`: a definition is used where the snapshot has
 * objects or CRDs of its kind.
 *
 * @example
 * ```ts
 * const kind = { group: "gateway.envoyproxy.io", kind: "SecurityPolicy" };
 * console.log(vendorDefinitions().find(kind)?.class);
 * ```
 */
export function vendorDefinitions(): DefinitionLibrary {
  return library;
}

const library: DefinitionLibrary = {
  find: (kind) => {
    const id = kindId(kind);
    return vendorOf().get(id)?.().get(id);
  },
};

/** All definitions of all vendors, by the name of the vendor's folder. */
export const allVendorDefinitions = (): ReadonlyMap<string, readonly PolicyDefinition[]> =>
  new Map(vendorDocuments.map(({ vendor, json }) => [vendor, parseAll(json)]));

/** From the id of each kind to the definitions of its vendor, which are parsed on the first call. */
const vendorOf = once(() => {
  const table = new Map<string, () => ReadonlyMap<string, PolicyDefinition>>();
  for (const { kinds, json } of vendorDocuments) {
    const definitions = once(() => byKind(parseAll(json)));
    for (const kind of kinds) table.set(kind, definitions);
  }
  return table;
});

function parseAll(json: string): readonly PolicyDefinition[] {
  const documents: unknown = JSON.parse(json);
  return isJsonObject(documents) ? objectsIn(ownValue(documents, "items")).map(parseDocument) : [];
}

const byKind = (definitions: readonly PolicyDefinition[]): ReadonlyMap<string, PolicyDefinition> =>
  new Map(
    definitions.flatMap((definition) => definition.policies.map((policy) => [kindId(policy), definition] as const)),
  );
