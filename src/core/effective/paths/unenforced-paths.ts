import type { Policy } from "../../model/policy.ts";
import { compareText, type ObjectId, type PolicyId } from "../../model/refs.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { foreignGateways } from "../world/gateway-controllers.ts";
import type { ForeignGateway, Unenforced } from "../world/policy-tally.ts";
import { policiesIn, setsAt } from "../world/stack.ts";
import type { WithPolicies } from "../world/world.ts";
import { endObjects } from "./end-objects.ts";
import { gatewaysAbove } from "./gateways-above.ts";
import { nodesOf, type Path } from "./path.ts";
import { PathFinder } from "./path-finder.ts";

/** Visits each path with policies behind a Gateway of a controller that does not carry the kind out. */
export function forEachUnenforced(
  world: WithPolicies,
  kind: CompiledKind,
  visit: (path: Path, at: ForeignGateway) => void,
): void {
  const foreign = foreignGateways(world, kind.definition);
  if (foreign.size === 0) return;
  const finder = new PathFinder(world, kind, { everyGateway: true });
  for (const end of endObjects(world, kind)) {
    finder.forEachPathTo(end, (path) => {
      if (path.stack === kind.stacks.empty) return;
      for (let at: Path | undefined = path; at !== undefined; at = at.up) {
        const controller = at.node.section === undefined ? foreign.get(at.node.id) : undefined;
        if (controller !== undefined) return visit(path, { gateway: at.node.id, controller });
      }
      if (kind.definition.class !== "Direct") return;
      const { id, section } = path.node;
      const target = section === undefined ? { object: id } : { object: id, sectionName: section.name };
      for (const gateway of gatewaysAbove(world, target)) {
        const controller = foreign.get(gateway);
        if (controller !== undefined) visit(path, { gateway, controller });
      }
    });
  }
}

/** The policies with a path behind a Gateway of a controller that does not carry their kind out. */
export function unenforcedPolicies(world: WithPolicies): ReadonlyMap<PolicyId, Unenforced> {
  const unenforced = new Map<PolicyId, { gateways: Map<ObjectId, string>; targets: Set<ObjectId> }>();
  for (const kind of world.rulebook.kinds) {
    forEachUnenforced(world, kind, (path, { gateway, controller }) => {
      for (const policy of policiesIn(path.stack)) {
        const known = unenforced.get(policy.id) ?? { gateways: new Map(), targets: new Set() };
        unenforced.set(policy.id, known);
        known.gateways.set(gateway, controller);
        for (const target of targetsOn(path, policy)) known.targets.add(target);
      }
    });
  }
  for (const known of unenforced.values()) known.gateways = new Map([...known.gateways].sort(byId));
  return unenforced;
}

const byId = ([a]: readonly [string, string], [b]: readonly [string, string]): number => compareText(a, b);

const targetsOn = (path: Path, policy: Policy): readonly ObjectId[] =>
  nodesOf(path).flatMap(({ id, sets, section }) =>
    setsAt(sets, section?.name).some(({ policies }) => policies.includes(policy)) ? [id] : [],
  );
