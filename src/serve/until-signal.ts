/** Aborts `signal` at the first SIGINT or SIGTERM. A second one ends the program at once, which is Node's default. */
export function untilSignal(): { readonly signal: AbortSignal; readonly forget: () => void } {
  const stopping = new AbortController();
  const onSignal = (): void => {
    forget();
    stopping.abort();
  };
  const forget = (): void => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return { signal: stopping.signal, forget };
}
