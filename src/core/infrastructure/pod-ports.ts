/** The ports that an Envoy opens in its Pod for the listeners of a Gateway. */

/** Pods are not root: a port below this one is opened only where the Pod allows it. */
const FIRST_UNPRIVILEGED_PORT = 1024;
/** Where the kubelet and Prometheus ask: readiness and metrics. */
export const STATUS_PORT = 19_001;
/** Envoy's administration, on the loopback of the Pod. */
export const ADMIN_PORT = 19_000;
/** Ports of the Pod that are taken. */
const TAKEN: readonly number[] = [STATUS_PORT, ADMIN_PORT];
const SHIFT = 10_000;
const LAST_PORT = 65_535;

/**
 * `Shifted`: ports below 1024 are opened 10,000 higher, and the Service has them as they are.
 * `AsListeners`: ports are opened as listeners have them, which the Pod allows itself by a sysctl.
 */
export type PortMode = "Shifted" | "AsListeners";

/**
 * Ports of the Pod
 *
 * A port below 1024 is opened 10,000 higher, or 20,000 and so on where a listener has that port, else at the first that is free. The table
 * has the port of the Pod for the port of each listener.
 * Kubernetes, "Service", `targetPort`
 */
export function podPorts(listenerPorts: Iterable<number>, mode: PortMode): ReadonlyMap<number, number> {
  const wanted = [...new Set(listenerPorts)].sort((a, b) => a - b);
  const isMoved = (port: number): boolean =>
    TAKEN.includes(port) || (mode === "Shifted" && port < FIRST_UNPRIVILEGED_PORT);
  const ports = new Map(wanted.filter((port) => !isMoved(port)).map((port) => [port, port]));
  const used = new Set([...TAKEN, ...ports.keys()]);
  for (const port of wanted.filter(isMoved)) {
    const free = freePort(port, used);
    // A listener for which no port is left keeps its own.
    if (free === undefined) break;
    used.add(free);
    ports.set(port, free);
  }
  return ports;
}

/** The search ends however many listeners there are: authors of ListenerSets decide which ports are used. */
function freePort(port: number, used: ReadonlySet<number>): number | undefined {
  for (let free = port + SHIFT; free <= LAST_PORT; free += SHIFT) if (!used.has(free)) return free;
  for (let free = FIRST_UNPRIVILEGED_PORT; free <= LAST_PORT; free++) if (!used.has(free)) return free;
  return undefined;
}
