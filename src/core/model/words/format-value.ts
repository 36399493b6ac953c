const MAX_TEXT = 80;

/** A value for messages: never long. `undefined` stands for a field that is absent. */
export function formatValue(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string")
    return JSON.stringify(value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}…`);
  // Callers of the library may pass values that JSON does not have.
  return typeof value === "number" || typeof value === "boolean" ? String(value) : `a ${typeof value}`;
}
