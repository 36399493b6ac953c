/** How wide a terminal is, by its own word; where it has none (it says 0), by that of `COLUMNS`. Undefined: nobody knows. */
export function terminalColumns(reported: number | undefined, env: NodeJS.ProcessEnv): number | undefined {
  if (reported !== undefined && reported > 0) return reported;
  const given = env["COLUMNS"] ?? "";
  return /^[1-9]\d{0,5}$/.test(given) ? Number(given) : undefined;
}
