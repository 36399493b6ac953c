import type { World } from "../effective/world/world.ts";
import { COVERAGE_RULE } from "./check-coverage.ts";

/** Whether checking this world evaluates any condition: CEL is large to load. */
export function needsCel(world: World): boolean {
  let needs = world.objects.byKind.has(COVERAGE_RULE);
  world.policies.forEach(({ policy }) => {
    needs ||= policy?.blocks.some(({ when }) => when !== undefined) === true;
  });
  return needs;
}
