/** The width of the terminal; if it reports 0, the value of `COLUMNS`. Undefined: unknown. */
export function terminalColumns(reported: number | undefined, env: NodeJS.ProcessEnv): number | undefined {
  if (reported !== undefined && reported > 0) return reported;
  const given = env["COLUMNS"] ?? "";
  return /^[1-9]\d{0,5}$/.test(given) ? Number(given) : undefined;
}
