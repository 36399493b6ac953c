/** Whom to ask about the objects of a namespace. */
import { annotationOf, type KubeObject } from "../model/kube-object.ts";
import { namespaceRef, type ObjectId, type ObjectRef, objectId } from "../model/refs.ts";

const CONTACT_ANNOTATION = "prevail.dev/contact";

/** The text of an annotation `prevail.dev/contact`, and the object that has it. */
export interface NamespaceContact {
  readonly contact: string;
  readonly object: ObjectId;
}

/** A Namespace is an object of its own namespace. */
export const namespaceOf = ({ group, kind, namespace, name }: ObjectRef): string =>
  kind === "Namespace" && group === "" ? name : namespace;

/** The contact of the Namespace, then those of its policies. The Namespace's comes first: a policy's may be a person who has left. */
export function contactsIn(
  namespace: string,
  policies: readonly ObjectId[],
  find: (id: ObjectId) => Pick<KubeObject, "raw"> | undefined,
): readonly NamespaceContact[] {
  const own = objectId(namespaceRef(namespace));
  const contacts = new Map<string, NamespaceContact>();
  for (const object of [own, ...policies]) {
    const found = find(object);
    const contact = found === undefined ? undefined : annotationOf(found, CONTACT_ANNOTATION)?.trim();
    if (contact !== undefined && contact !== "" && !contacts.has(contact)) contacts.set(contact, { contact, object });
  }
  return [...contacts.values()];
}
