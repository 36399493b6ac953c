/** Findings about the CRDs of policy kinds, by the requirements of GEP-713. */
import type { World } from "../../effective/world/world.ts";
import { BLOCK_SPELLINGS } from "../../model/block-names.ts";
import { isJsonObject, type JsonObject, objectAt, ownValue } from "../../model/json.ts";
import { CRD } from "../../model/kinds.ts";
import { type KubeObject, labelsOf } from "../../model/kube-object.ts";
import { kindId } from "../../model/refs.ts";
import { POLICY_LABEL, TARGET_FIELDS } from "../../model/schema/crd-schemas.ts";
import { objects, text } from "../../model/schema/read-fields.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

/**
 * CRDs of policies
 *
 * The CRD of a policy kind has the label `gateway.networking.k8s.io/policy`, fields for its targets, one merge strategy for each policy
 * where it supports several, and a status.
 * GEP-713, "Merge strategy"
 */
export function checkPolicyCrds({ objects: all, rulebook }: World): readonly CheckFinding[] {
  return [...all.ofKind(CRD)].flatMap((crd) => {
    const spec = objectAt(crd.raw, "spec");
    const kind = kindId({ group: textOf(spec, "group"), kind: textOf(objectAt(spec, "names"), "kind") });
    const isLabelled = Object.hasOwn(labelsOf(crd), POLICY_LABEL);
    if (!isLabelled && !rulebook.byPolicyKind.has(kind)) return [];
    const label = isLabelled ? [] : [missingLabel(crd)];
    const versions = objects(spec, "versions");
    return [...label, ...versions.flatMap((version, index) => checkVersion(crd, version, index, isLabelled))];
  });
}

const textOf = (object: JsonObject, key: string): string => text(object, key, "");

const missingLabel = (crd: KubeObject): CheckFinding =>
  findingAt(crd, {
    code: "PolicyCrdIncomplete",
    severity: "info",
    field: "metadata",
    message: `the CRD of a policy kind has no label ${POLICY_LABEL}, so tools do not know that it is one`,
    fix: `Add the label ${POLICY_LABEL}: Direct or Inherited.`,
  });

function checkVersion(
  crd: KubeObject,
  version: JsonObject,
  index: number,
  isLabelled: boolean,
): readonly CheckFinding[] {
  const root = objectAt(objectAt(version, "schema"), "openAPIV3Schema");
  const properties = objectAt(root, "properties");
  const spec = objectAt(properties, "spec");
  const field = `spec.versions[${index}].schema.openAPIV3Schema.properties`;
  const report = (at: string, severity: CheckFinding["severity"], message: string, fix: string): CheckFinding =>
    findingAt(crd, { code: "PolicyCrdIncomplete", severity, field: at, message, fix });
  const findings: CheckFinding[] = [];
  const has = (name: string): boolean => Object.hasOwn(objectAt(spec, "properties"), name);
  if (isLabelled && !TARGET_FIELDS.some(has))
    findings.push(
      report(
        `${field}.spec`,
        "warning",
        `the spec of a policy kind has none of ${TARGET_FIELDS.join(", ")}, so its policies cannot name what they apply to`,
        "Add targetRefs to the schema.",
      ),
    );
  const blocks = Object.values(BLOCK_SPELLINGS).map((names) => names.find(has));
  if (blocks.every((name) => name !== undefined) && !forbidsBoth(spec))
    findings.push(
      report(
        `${field}.spec`,
        "info",
        `a policy may have both ${blocks.join(" and ")}; GEP-713 allows one merge strategy for each policy`,
        `Add a CEL rule: !(has(self.${blocks[0]}) && has(self.${blocks[1]})).`,
      ),
    );
  if (!isJsonObject(ownValue(properties, "status")))
    findings.push(
      report(
        field,
        "warning",
        "the CRD of a policy kind has no status, so a controller cannot say what became of a policy",
        "Add a status with ancestors, as Gateway API's PolicyStatus, or with conditions.",
      ),
    );
  return findings;
}

/** True if the schema excludes one block beside the other, by a rule or an alternative. */
const forbidsBoth = (spec: JsonObject): boolean =>
  Object.hasOwn(spec, "oneOf") ||
  Object.hasOwn(spec, "not") ||
  objects(spec, "x-kubernetes-validations").some((entry) => {
    const rule = textOf(entry, "rule");
    return Object.values(BLOCK_SPELLINGS).every((names) => names.some((name) => rule.includes(`self.${name}`)));
  });
