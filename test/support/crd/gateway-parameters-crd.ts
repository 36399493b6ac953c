/** The CRD of GatewayParameters: how the Envoys of Gateways are run. */
import { SERVICE_TYPES } from "../../../src/core/infrastructure/parse-gateway-parameters.ts";
import { type CrdKind, column, integer, object, text } from "./crd-document.ts";

const whatever = (description: string) => ({
  description,
  type: "object",
  "x-kubernetes-preserve-unknown-fields": true,
});

export const gatewayParametersCrd: CrdKind = {
  kind: "GatewayParameters",
  plural: "gatewayparameters",
  shortNames: ["gwparams"],
  scope: "Namespaced",
  labels: {},
  description:
    "How the controller runs the Envoys of Gateways. A GatewayClass refers to it in spec.parametersRef, for defaults, and a Gateway in spec.infrastructure.parametersRef.",
  columns: [
    column("Replicas", ".spec.replicas", "integer"),
    column("Service", ".spec.service.type"),
    column("Image", ".spec.image"),
  ],
  spec: object("docs/gateways.md has the rules.", {
    replicas: integer("How many Pods there are. Absent: it is not set, so that a HorizontalPodAutoscaler can.", {
      minimum: 0,
    }),
    image: text("The image of Envoy. For a GatewayClass only.", { minLength: 1 }),
    resources: whatever("The resources of the container."),
    service: object("The Service that clients connect to.", {
      type: text("Default: LoadBalancer.", { enum: [...SERVICE_TYPES] }),
    }),
    drainTimeout: text("How long a Pod that is removed still serves, at most 1h. Default: 10s.", {
      pattern: "^([0-9]{1,5}(h|m|s|ms)){1,4}$",
    }),
    patches: object("Strategic merge patches, for everything else. For a GatewayClass only.", {
      deployment: whatever("Applied to the Deployment."),
      service: whatever("Applied to the Service."),
    }),
  }),
};
