/** Findings about RetryPolicies above connections that are not HTTP: there are no requests that could be retried or timed. */
import { hasPolicies } from "../../effective/paths/end-objects.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { setsAt } from "../../effective/world/stack.ts";
import type { World } from "../../effective/world/world.ts";
import { GATEWAY_API, RETRY_POLICY } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef, kindId, type ObjectId } from "../../model/refs.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

const STREAM_KINDS = ["TCPRoute", "TLSRoute", "UDPRoute"].map((kind) => kindId({ group: GATEWAY_API, kind }));

export function checkStreams(world: World): readonly CheckFinding[] {
  const kind = world.rulebook.byPolicyKind.get(RETRY_POLICY);
  if (kind === undefined || !hasPolicies(world, kind)) return [];
  const routes = new Map<KubeObject, Set<string>>();
  for (const streamKind of STREAM_KINDS) {
    world.objects.ofKind(streamKind).forEach((route) => {
      for (const policy of policiesAbove(world, kind, route)) {
        const known = routes.get(policy) ?? new Set();
        routes.set(policy, known.add(formatRef(route.ref)));
      }
    });
  }
  return [...routes].map(([policy, names]) => findingOf(policy, [...names].sort()));
}

function findingOf(policy: KubeObject, [first = "", ...others]: readonly string[]): CheckFinding {
  const more = others.length === 0 ? "" : ` and of ${others.length} more ${others.length === 1 ? "route" : "routes"}`;
  return findingAt(policy, {
    code: "NotHttp",
    severity: "info",
    field: "spec",
    message: `${formatRef(policy.ref)} has no effect on connections of ${first}${more}: they are forwarded as they are, so there are no requests to retry`,
  });
}

/** The policies on the listeners of a route, their owners, and its backends. */
function policiesAbove(world: World, kind: CompiledKind, route: KubeObject): ReadonlySet<KubeObject> {
  const found = new Set<KubeObject>();
  const addAt = (id: ObjectId, section: string | undefined): void => {
    const sets = world.attached[kind.index]?.get(id);
    const own = section === undefined ? [] : setsAt(sets, section);
    for (const { policies } of [...setsAt(sets, undefined), ...own])
      for (const { object } of policies) found.add(object);
  };
  for (const { parent, section } of world.links.get(route.id)?.up ?? []) {
    addAt(parent, section);
    // The Gateway of a ListenerSet.
    for (const link of world.links.get(parent)?.up ?? []) addAt(link.parent, undefined);
  }
  for (const { child } of world.childLinksOf(route.id)?.down ?? []) addAt(child, undefined);
  return found;
}
