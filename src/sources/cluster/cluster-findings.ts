/** Findings about the resources of a cluster that could not be read. Each is a caveat of the answers. */
import type { ApiError } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { type ApiResource, resourceName } from "../../adapters/cluster/client/resource.ts";
import { ClusterError } from "../../adapters/cluster/cluster-error.ts";
import type { CompleteKind } from "../../core/model/completeness.ts";
import type { Finding } from "../../core/model/finding.ts";
import { compareText, type GroupKind, type KindId, kindId } from "../../core/model/refs.ts";
import { VIEW_GROUP } from "../../core/view/view-resources.ts";

export const isCrdResource = ({ group, plural }: Pick<ApiResource, "group" | "plural">): boolean =>
  group === "apiextensions.k8s.io" && plural === "customresourcedefinitions";

/** A kind that the server does not have has no objects, unless its group does not respond, or it has a CRD and is not served yet. */
export const completeAsAbsent = (
  absent: readonly GroupKind[],
  staleGroups: readonly string[],
  behind: ReadonlySet<KindId>,
): readonly CompleteKind[] =>
  absent
    .filter((one) => !staleGroups.includes(one.group) && !behind.has(kindId(one)))
    .map(({ group, kind }) => ({ group, kind, namespaces: "All" }));

/** A resource that the user may not list, but for some namespaces. */
export interface ForbiddenResource {
  readonly resource: Pick<ApiResource, "group" | "plural">;
  /** The namespaces in which it could be listed. */
  readonly read: readonly string[];
}

/** One finding for all resources that could be listed in the same namespaces. */
export function forbiddenFindings(forbidden: readonly ForbiddenResource[]): readonly Finding[] {
  const names = new Map<string, string[]>();
  for (const { resource, read } of forbidden) {
    if (isCrdResource(resource)) continue;
    const sorted = read.toSorted(compareText);
    const where =
      read.length === 0 ? "" : `outside of ${read.length === 1 ? "namespace" : "namespaces"} ${sorted.join(", ")}, `;
    names.set(where, [...(names.get(where) ?? []), resourceName(resource)]);
  }
  // Lists end in any order.
  const sorted = [...names].sort(([a], [b]) => compareText(a, b));
  const crds = forbidden.filter(({ resource }) => isCrdResource(resource));
  return [
    ...sorted.map(([where, resources]) => unread(`${where}list ${resources.sort(compareText).join(", ")}`)),
    ...crds.map(({ resource }) =>
      unread(
        `list ${resourceName(resource)}, so policy kinds without a PolicyDefinition are known by their fields only, not by their labels`,
      ),
    ),
  ];
}

/** Groups whose kinds are not known, as neither CRDs nor schemas could be read. */
export const unpublishedFindings = (groups: readonly string[]): readonly Finding[] =>
  groups.length === 0 ? [] : [unread(`the schemas of ${groups.join(", ")}, in which there may be policy kinds`)];

/** A resource that is read again and again instead of watched, and in how many namespaces. */
export interface PolledResource {
  readonly resource: Pick<ApiResource, "group" | "plural">;
  readonly namespaces: number;
}

/** Changes of what is polled are known later. */
export function polledFindings(polled: readonly PolledResource[], everyMs: number): readonly Finding[] {
  if (polled.length === 0) return [];
  const names = polled.map(
    ({ resource, namespaces }) =>
      `${resourceName(resource)} in ${namespaces === 1 ? "1 namespace" : `${namespaces} namespaces`}`,
  );
  const what = `the latest changes of ${names.sort(compareText).join(", ")}`;
  return [unread(`${what}: these are read every ${everyMs / 1000} s, because there would be too many watches`)];
}

const unread = (message: string, severity: Finding["severity"] = "info"): Finding => ({
  code: "UnreadableResource",
  severity,
  message,
});

/** The server responds, and cannot list the resource. */
export const unlistableFinding = (resource: Pick<ApiResource, "group" | "plural">, { message }: ApiError): Finding =>
  unread(`${resourceName(resource)} could not be listed: ${message}`, "error");

/** The view API shows what is computed from the other groups, and has nothing of its own. */
export const staleFindings = (groups: readonly string[]): readonly Finding[] =>
  groups
    .filter((group) => group !== VIEW_GROUP)
    .map((group) => unread(`the API group ${group}, which does not respond`));

/** Kinds that would be read, and whose CRDs are there. */
export const unservedFindings = (kinds: readonly GroupKind[]): readonly Finding[] =>
  kinds.map(({ group, kind }) => unread(`${kind}.${group}, which the API server does not serve yet`));

export function noRights({ context, server }: KubeClient): ClusterError {
  return new ClusterError(`the user of the context '${context}' may not list anything that is needed at ${server}`, {
    hints: [
      "Ask for a role that may list Gateways, routes, Services and policies. To see your rights: kubectl auth can-i --list",
    ],
  });
}
