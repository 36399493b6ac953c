/** The resources of the view API. Its objects are computed when they are read, so they can be read only. */

export const VIEW_GROUP = "view.prevail.dev";
export const VIEW_VERSION = "v1alpha1";
export const VIEW_API_VERSION: string = `${VIEW_GROUP}/${VIEW_VERSION}`;

export type ViewKind = "EffectivePolicy" | "ClusterEffectivePolicy" | "PolicyReach" | "ClusterPolicyReach";

export interface ViewResource {
  readonly kind: ViewKind;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly isNamespaced: boolean;
  /** The subject of the views: objects that policies reach, or policies. */
  readonly about: "Targets" | "Policies";
}

export const viewResources: readonly ViewResource[] = [
  {
    kind: "EffectivePolicy",
    plural: "effectivepolicies",
    singular: "effectivepolicy",
    shortNames: ["eff"],
    isNamespaced: true,
    about: "Targets",
  },
  {
    kind: "ClusterEffectivePolicy",
    plural: "clustereffectivepolicies",
    singular: "clustereffectivepolicy",
    shortNames: ["ceff"],
    isNamespaced: false,
    about: "Targets",
  },
  {
    kind: "PolicyReach",
    plural: "policyreaches",
    singular: "policyreach",
    shortNames: [],
    isNamespaced: true,
    about: "Policies",
  },
  {
    kind: "ClusterPolicyReach",
    plural: "clusterpolicyreaches",
    singular: "clusterpolicyreach",
    shortNames: [],
    isNamespaced: false,
    about: "Policies",
  },
];

/** The resource for an object of a scope. */
export function viewResourceFor(about: ViewResource["about"], namespace: string): ViewResource {
  const found = viewResources.find((one) => one.about === about && one.isNamespaced === (namespace !== ""));
  if (found === undefined) throw new Error(`there is no view of ${about}`);
  return found;
}
