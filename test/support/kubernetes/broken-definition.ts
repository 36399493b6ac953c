/** A PolicyDefinition with an error that only a replica finds: the schema of its CRD allows it. */
export const brokenDefinition = {
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "shades.example.com" },
  spec: {
    policies: [{ group: "example.com", kind: "Shade" }],
    class: "Inherited",
    targeting: { kinds: [{ group: "gateway.networking.k8s.io", kind: "Gateway" }] },
    hierarchy: { effectiveTargets: ["Nowhere"] },
  },
};
