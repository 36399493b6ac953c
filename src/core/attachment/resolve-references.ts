import { blockNamesOf } from "../model/block-names.ts";
import type { MergeRules, PolicyDefinition, PolicyReference } from "../model/definition.ts";
import type { FindingCode } from "../model/finding-code.ts";
import { findingCodes } from "../model/finding-codes.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../model/json.ts";
import { valueAtKeys } from "../model/json-pointer.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { missingContent } from "../model/missing-content.ts";
import { formatRef, isPlainName, type KindId, kindId, type ObjectId, type ObjectRef, objectId } from "../model/refs.ts";
import type { UnknownReference } from "../topology/object-references.ts";

/** A reference of a policy that does not resolve, and why. */
export interface ReferenceProblem {
  readonly field: string;
  readonly code: FindingCode;
  /** The reason of `ResolvedRefs=False`. */
  readonly reason: string;
  readonly message: string;
}

/** The references in the spec of a policy. */
export interface ResolvedReferences {
  readonly problems: readonly ReferenceProblem[];
  readonly unknown: readonly UnknownReference[];
  /** Set if no reference of a list is valid: the policy is not accepted, for this reason. */
  readonly noneValid: { readonly reason: string; readonly message: string } | undefined;
  /** True if no reference of a list is known to be valid, and one is not in the snapshot: whether the policy is accepted is not known. */
  readonly isUndecided: boolean;
  /** Objects that the result depends on: those that are named, whether they exist or not. */
  readonly named: readonly ObjectId[];
}

export const NO_REFERENCES: ResolvedReferences = {
  problems: [],
  unknown: [],
  noneValid: undefined,
  isUndecided: false,
  named: [],
};

/** The tables that references are resolved with. */
export interface ReferenceContext {
  find(kind: KindId, namespace: string, name: string): KubeObject | undefined;
  /** True if an object that is not found does not exist. Absent: it is not known. */
  isKnownAbsent?(ref: ObjectRef): boolean;
}

const MAX_REFERENCES = 100;

/**
 * References of a policy must resolve
 *
 * A reference is invalid if its kind is not supported, if it names no object in the namespace of the policy, or if the object
 * does not contain what it must: `ResolvedRefs` is False. If all references of a list are invalid, the policy is not accepted
 * either. An object that is not in an incomplete snapshot is not known to be absent; if no reference of a list is known to be
 * valid, it is not known whether the policy takes effect.
 * Gateway API, "BackendTLSPolicyValidation.caCertificateRefs"
 */
export function resolveReferences(
  policy: KubeObject,
  { references = NONE, merge }: Pick<PolicyDefinition, "references" | "merge">,
  context: ReferenceContext,
): ResolvedReferences {
  if (references.length === 0) return NO_REFERENCES;
  const problems: ReferenceProblem[] = [];
  const unknown: UnknownReference[] = [];
  const named: ObjectId[] = [];
  let noneValid: ResolvedReferences["noneValid"];
  let isUndecided = false;
  for (const reference of references) {
    for (const { value, field } of writtenReferences(policy, reference, merge)) {
      const items = isJsonList(value) ? value.slice(0, MAX_REFERENCES) : [value];
      const [before, unknownBefore] = [problems.length, unknown.length];
      items.forEach((item, at) => {
        const where = isJsonList(value) ? `${field}[${at}]` : field;
        const found = resolveReference(policy, item, where, reference, context, named);
        if (found === undefined) return;
        if ("ref" in found) unknown.push(found);
        else problems.push(found);
      });
      const own = problems.slice(before);
      const unknownHere = unknown.length - unknownBefore;
      if (unknownHere > 0 && own.length + unknownHere === items.length) isUndecided = true;
      if (items.length === 0 || own.length < items.length) continue;
      const messages = own.map((problem) => `${problem.field}: ${problem.message}`);
      noneValid ??= { reason: reference.noneValid, message: messages.join("; ") };
    }
  }
  return { problems, unknown, noneValid, isUndecided, named };
}

const NONE: readonly never[] = [];

interface WrittenReference {
  readonly value: Json;
  readonly field: string;
}

/** The references at the path: in the spec itself, and in the blocks of kinds that merge. */
function writtenReferences(
  { raw }: KubeObject,
  { path }: PolicyReference,
  merge: MergeRules,
): readonly WrittenReference[] {
  const spec = ownValue(raw, "spec");
  const blocks = blockNamesOf(merge);
  return [[], ...blocks.map((block) => [block])].flatMap((above) => {
    const keys = [...above, ...path.split(".")];
    const value = isJsonObject(spec) ? valueAtKeys(spec, keys) : undefined;
    return value === undefined || value === null ? [] : [{ value, field: `spec.${keys.join(".")}` }];
  });
}

/** Undefined: it resolves. */
function resolveReference(
  policy: KubeObject,
  item: Json,
  field: string,
  reference: PolicyReference,
  context: ReferenceContext,
  named: ObjectId[],
): ReferenceProblem | UnknownReference | undefined {
  const invalid = (message: string): ReferenceProblem => ({
    field,
    code: codeOf(reference.reason),
    reason: reference.reason,
    message,
  });
  if (!isJsonObject(item)) return invalid("the reference must be an object");
  const [only] = reference.kinds;
  const group = textAt(item, "group") ?? only?.group ?? "";
  const kind = textAt(item, "kind") ?? only?.kind ?? "";
  const allowed = reference.kinds.find((one) => one.group === group && one.kind === kind);
  if (allowed === undefined) {
    const message = `${kind}${group === "" ? "" : ` (${group})`} is not a supported kind; supported: ${reference.kinds.map((one) => one.kind).join(", ")}`;
    return { field, code: "InvalidKind", reason: "InvalidKind", message };
  }
  const name = textAt(item, "name") ?? "";
  const { namespace } = policy.family;
  if (!isPlainName(name)) return invalid(`the reference must name a ${kind}`);
  if ((textAt(item, "namespace") ?? namespace) !== namespace)
    return invalid(`the ${kind} must be in namespace '${namespace}', which is that of the policy`);
  const ref: ObjectRef = { group, kind, namespace, name };
  const object = context.find(kindId(allowed), namespace, name);
  named.push(object?.id ?? objectId(ref));
  if (object === undefined)
    return context.isKnownAbsent?.(ref) === true ? invalid(`there is no ${formatRef(ref)}`) : { field, ref };
  const missing = missingContent(object, reference);
  return missing === undefined ? undefined : invalid(`${formatRef(ref)} ${missing}`);
}

/** A reason of Gateway API is the code of the finding. */
const codeOf = (reason: string): FindingCode =>
  Object.hasOwn(findingCodes, reason) ? (reason as FindingCode) : "InvalidReference";

function textAt(object: Json | JsonObject | undefined, key: string): string | undefined {
  const value = isJsonObject(object) ? ownValue(object, key) : undefined;
  return typeof value === "string" ? value : undefined;
}
