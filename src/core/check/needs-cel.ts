import type { World } from "../effective/world/world.ts";
import { COVERAGE_RULE } from "./coverage/check-coverage.ts";

/** True if checking this world evaluates a condition. CEL takes long to load, so it is loaded only then. */
export function needsCel(world: World): boolean {
  let needs = world.objects.hasKind(COVERAGE_RULE);
  world.policies.forEach(({ policy }) => {
    needs ||= policy?.blocks.some(({ when }) => when !== undefined) === true;
  });
  return needs;
}
