import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { type CrdFacts, parseCrd } from "../../model/parse/definition/parse-crd.ts";
import { compareText, formatRef, type KindId, kindId } from "../../model/refs.ts";

interface CollectedCrds {
  readonly crds: ReadonlyMap<KindId, CrdFacts>;
  /** CRDs for a kind that another CRD describes. */
  readonly unused: ReadonlySet<KubeObject>;
}

/** The CRDs by the kind they describe. Of two CRDs for one kind the first by name is used: the API server serves only one. */
export function collectCrds(rules: readonly KubeObject[], findings: Finding[]): CollectedCrds {
  const crds = new Map<KindId, CrdFacts>();
  const first = new Map<KindId, KubeObject>();
  const unused = new Set<KubeObject>();
  const objects = rules.filter(({ family }) => family.kind === "CustomResourceDefinition");
  for (const object of objects.sort((a, b) => compareText(a.id, b.id))) {
    const crd = parseCrd(object);
    if (crd === undefined) continue;
    const id = kindId(crd);
    const used = first.get(id);
    if (used === undefined) {
      first.set(id, object);
      crds.set(id, crd);
      continue;
    }
    unused.add(object);
    findings.push({
      code: "CrdClash",
      severity: "error",
      object: object.id,
      field: "spec.names.kind",
      message: `${formatRef(used.ref)} already describes ${crd.kind} (${crd.group}); this one is not used. Remove one of them`,
      ...(object.source === undefined ? {} : { source: object.source }),
    });
  }
  return { crds, unused };
}
