import type { PolicyDefinition } from "../../model/definition.ts";
import { formatRef, type ObjectId, parseObjectId } from "../../model/refs.ts";

/** The number of Gateways that a message names. */
const SHOWN = 5;

/** Why policies take no effect behind Gateways: `no controller enforces it here: Gateway infra/a belongs to …`. */
export function formatUnenforced(
  { policies: [{ kind }], controllers }: Pick<PolicyDefinition, "policies" | "controllers">,
  gateways: ReadonlyMap<ObjectId, string>,
): string {
  const named = [...gateways]
    .slice(0, SHOWN)
    .map(([gateway, controller]) => `${formatRef(parseObjectId(gateway))} belongs to ${controller}`);
  const more = gateways.size - named.length;
  const others = more > 0 ? ` (and ${more} more ${more === 1 ? "Gateway" : "Gateways"})` : "";
  return `no controller enforces it here: ${named.join(", ")}${others}, and ${kind} is carried out by ${controllers.join(" or ")}`;
}
