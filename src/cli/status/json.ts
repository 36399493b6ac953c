import type { World } from "../../core/effective/world/world.ts";
import { type ObjectId, parseObjectId } from "../../core/model/refs.ts";
import type { Condition, PolicyStatus, TargetStatus } from "../../core/status/status-report.ts";

/** Conditions as they are printed: `redactConditions` hides names in their messages. */
type Shown = (conditions: readonly Condition[]) => readonly Condition[];

/** The `status` of a policy, as a controller writes it but without times. */
export const policyStatusJson = ({ ancestors, conditions: own }: PolicyStatus, shown: Shown): object =>
  own === undefined
    ? {
        ancestors: ancestors.map(({ ancestorRef, controllerName, conditions }) => ({
          ancestorRef,
          controllerName,
          conditions: shown(conditions),
        })),
      }
    : { conditions: shown(own) };

/** One item of a `StatusList` for each object, as `docs/schemas/status-list.json` describes it. */
export function* statusItems(
  world: World,
  policies: readonly PolicyStatus[],
  targets: readonly TargetStatus[],
  shown: Shown,
): Generator<object> {
  for (const own of policies) yield { ...headOf(world, own.policy, []), status: policyStatusJson(own, shown) };
  const byObject = new Map<ObjectId, TargetStatus[]>();
  for (const target of targets) byObject.set(target.object, [...(byObject.get(target.object) ?? []), target]);
  for (const [object, own] of byObject) {
    const at = (location: TargetStatus["location"]["at"]): readonly TargetStatus[] =>
      own.filter((one) => one.location.at === location);
    const annotated = at("Annotations").flatMap(({ conditions }) => conditions);
    yield { ...headOf(world, object, annotated), ...targetStatusJson(at, shown) };
  }
}

function targetStatusJson(
  at: (location: TargetStatus["location"]["at"]) => readonly TargetStatus[],
  shown: Shown,
): object {
  const conditions = at("Conditions").flatMap((one) => shown(one.conditions));
  const fields = at("Conditions").find((one) => one.fields !== undefined)?.fields ?? {};
  const listeners = at("Listener").map(({ location, conditions: own, fields: ofListener }) => ({
    ...(location.at === "Listener" ? { name: location.name } : {}),
    ...ofListener,
    conditions: shown(own),
  }));
  const parents = at("Parent").map(({ location, conditions: own }) => ({
    ...(location.at === "Parent" ? { parentRef: location.parentRef, controllerName: location.controllerName } : {}),
    conditions: shown(own),
  }));
  if (conditions.length + listeners.length + parents.length === 0) return {};
  return {
    status: {
      ...fields,
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(listeners.length === 0 ? {} : { listeners }),
      ...(parents.length === 0 ? {} : { parents }),
    },
  };
}

/** `annotated`: the conditions of a kind without conditions, which are annotations. */
function headOf(world: World, id: ObjectId, annotated: readonly Condition[]): object {
  const { group, kind, namespace, name } = parseObjectId(id);
  return {
    apiVersion: world.objects.get(id)?.apiVersion ?? group,
    kind,
    metadata: {
      ...(namespace === "" ? {} : { namespace }),
      name,
      ...(annotated.length === 0
        ? {}
        : { annotations: Object.fromEntries(annotated.map(({ type, status }) => [type, status.toLowerCase()])) }),
    },
  };
}
