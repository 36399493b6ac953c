import type { HeardReport } from "./replica-report.ts";

/**
 * Each replica counts the requests of the Envoys that are connected to it, so its counts of a Gateway are those of all its Envoys only if none is connected to
 * another replica. The replica that leads hears of all Envoys, and reports none. Returns why a part of the requests may not be counted here. `gateway`: as `namespace/name`.
 */
export function envoysElsewhere(
  gateway: string,
  { leads, others }: { readonly leads: boolean; readonly others: readonly HeardReport[] },
): string | undefined {
  if (!leads)
    return "requests of Envoys that are connected to the replica of the controller that leads are not counted by this one";
  if (others.some(({ gateways }) => gateways.has(gateway)))
    return "requests of Envoys that are connected to another replica of the controller are not counted by this one";
  if (others.every(({ isWhole }) => isWhole)) return undefined;
  return "it is not known whether Envoys are connected to another replica of the controller, which serves more Gateways than it has room to report";
}
