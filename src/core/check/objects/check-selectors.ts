/** Findings about Gateways and listeners whose namespace selector matches no namespace. */

import { namespaceLabels } from "../../effective/world/contexts.ts";
import type { World } from "../../effective/world/world.ts";
import { isCompleteFor } from "../../model/completeness.ts";
import type { Severity } from "../../model/finding.ts";
import { isJsonList, isJsonObject, type Json, ownValue } from "../../model/json.ts";
import { GATEWAY_API, NAMESPACE } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { parseSelector } from "../../model/parse/parse-selector.ts";
import type { LabelSelector } from "../../model/policy.ts";
import { formatRef, type KindId, kindId } from "../../model/refs.ts";
import { formatSelector, matchesSelector } from "../../topology/matches-selector.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

const WITH_LISTENERS: readonly KindId[] = [
  { group: GATEWAY_API, kind: "Gateway" },
  { group: GATEWAY_API, kind: "ListenerSet" },
  { group: "gateway.networking.x-k8s.io", kind: "XListenerSet" },
].map(kindId);

export function checkSelectors(world: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  // Elsewhere a namespace may have these labels.
  const isKnown = isCompleteFor(world.completeness, { group: "", kind: "Namespace" }, "");
  const severity: Severity = isKnown ? "error" : "info";
  const labels = namespacesOf(world).map((name) => namespaceLabels(world.objects, name));
  for (const kind of WITH_LISTENERS) {
    world.objects.ofKind(kind).forEach((object) => {
      for (const { namespaces, field, what } of allowances(object)) {
        const selector = selectorOf(namespaces);
        if (selector === undefined || labels.some((own) => matchesSelector(selector, own))) continue;
        findings.push(
          findingAt(object, {
            code: "NamespaceSelectorMatchesNothing",
            severity,
            field: `${field}.selector`,
            message: `${what} allows namespaces with the labels ${formatSelector(selector)}; no namespace in the input has them${severity === "error" ? ", so nothing can attach" : ""}`,
            fix: "Label the namespaces, correct the selector, or add the files that define the namespaces.",
          }),
        );
      }
    });
  }
  return findings;
}

/** The namespaces that are defined, and those that an object is in. */
function namespacesOf({ objects }: World): readonly string[] {
  return [...new Set([...objects.namespaces(), ...objects.ofKind(NAMESPACE).map(({ name }) => name)])];
}

interface Allowance {
  readonly namespaces: Json | undefined;
  readonly field: string;
  readonly what: string;
}

function allowances(object: KubeObject): readonly Allowance[] {
  const spec = ownValue(object.raw, "spec");
  if (!isJsonObject(spec)) return [];
  const found: Allowance[] = [];
  const add = (value: Json | undefined, field: string, what: string): void => {
    if (isJsonObject(value))
      found.push({ namespaces: ownValue(value, "namespaces"), field: `${field}.namespaces`, what });
  };
  const name = formatRef(object.ref);
  add(ownValue(spec, "allowedListeners"), "spec.allowedListeners", name);
  const listeners = ownValue(spec, "listeners");
  for (const [index, listener] of isJsonList(listeners) ? listeners.entries() : []) {
    if (!isJsonObject(listener)) continue;
    const own = ownValue(listener, "name");
    const shown = typeof own === "string" ? `listener '${own}' of ${name}` : `a listener of ${name}`;
    add(ownValue(listener, "allowedRoutes"), `spec.listeners[${index}].allowedRoutes`, shown);
  }
  return found;
}

function selectorOf(namespaces: Json | undefined): LabelSelector | undefined {
  if (!isJsonObject(namespaces) || ownValue(namespaces, "from") !== "Selector") return undefined;
  const parsed = parseSelector(ownValue(namespaces, "selector"));
  return parsed.ok ? parsed.selector : undefined;
}
