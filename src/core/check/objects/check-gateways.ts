/** Findings about Gateways, GatewayClasses, ListenerSets and their listeners, with the reasons of Gateway API. */
import {
  LISTENER_OWNERS,
  listenerProblemsOf,
  parentProblemsOf,
  problemsAt,
  referenceProblemsOf,
} from "../../effective/world/gateway-problems.ts";
import { mayBeGrantedElsewhere } from "../../effective/world/refused-objects.ts";
import type { World } from "../../effective/world/world.ts";
import { likelyParametersProblem } from "../../infrastructure/parameters-problem.ts";
import { GATEWAY } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef } from "../../model/refs.ts";
import { frontendTlsOf } from "../../topology/frontend-tls.ts";
import type { ConditionProblem } from "../../topology/gateway-reason.ts";
import { referringKinds } from "../../topology/object-references.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";
import { checkParameters } from "./check-parameters.ts";

export function checkGateways(world: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const add = (object: KubeObject, problems: readonly ConditionProblem[]): void => {
    for (const { reason, field, message, notPermitted } of problems) {
      const isKnown = notPermitted === undefined || !mayBeGrantedElsewhere(world, notPermitted);
      findings.push(findingAt(object, { code: reason, severity: isKnown ? "error" : "info", field, message }));
    }
  };
  for (const kind of referringKinds)
    for (const object of world.objects.ofKind(kind)) {
      add(
        object,
        referenceProblemsOf(world, object).filter(({ reason }) => reason !== "InvalidParameters"),
      );
      const parameters = likelyParametersProblem(world, object);
      if (parameters !== undefined) add(object, [parameters]);
    }
  for (const kind of LISTENER_OWNERS)
    for (const object of world.objects.ofKind(kind)) {
      add(object, listenerProblemsOf(world, object));
      add(object, parentProblemsOf(world, object, likelyParametersProblem));
    }
  // Found once for the Gateway and all of its ListenerSets.
  for (const gateway of world.objects.ofKind(GATEWAY)) {
    for (const { owner, problem } of problemsAt(world, gateway)) add(owner, [problem]);
    findings.push(...insecureModes(gateway));
  }
  findings.push(...checkParameters(world));
  return findings;
}

/**
 * Insecure modes are reported
 *
 * A Gateway that admits clients whose certificates are missing or invalid says so in a condition. A client without a certificate is then
 * served like one with a certificate.
 * Gateway API, "GatewayConditionInsecureFrontendValidationMode"
 */
const insecureModes = (gateway: KubeObject): readonly CheckFinding[] =>
  frontendTlsOf(gateway)
    .filter(({ validation }) => validation?.["mode"] === "AllowInsecureFallback")
    .map(({ field }) =>
      findingAt(gateway, {
        code: "InsecureFrontendValidationMode",
        severity: "warning",
        field: field.replace(/caCertificateRefs$/, "mode"),
        message: `${formatRef(gateway.ref)} admits clients without a certificate, and clients with an invalid one`,
      }),
    );
