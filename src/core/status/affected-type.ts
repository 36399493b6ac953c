/** The domain of a controller: the part of its name before the slash. */
const domainOf = (controllerName: string): string => controllerName.split("/", 1)[0] ?? controllerName;

const SUFFIX = "Affected";

/**
 * The type of the condition on affected objects
 *
 * `<domain>/<Kind>Affected`, with the domain of the controller, so that every implementation has conditions of its own.
 * GEP-713, "Target object status"
 */
export const affectedType = (controllerName: string, policyKind: string): string =>
  `${domainOf(controllerName)}/${policyKind}${SUFFIX}`;

/** Recognizes the condition types of a controller, also those of policy kinds that no longer exist. */
export function isAffectedTypeOf(controllerName: string): (type: string) => boolean {
  const prefix = `${domainOf(controllerName)}/`;
  return (type) => type.startsWith(prefix) && type.endsWith(SUFFIX) && !type.includes("/", prefix.length);
}
