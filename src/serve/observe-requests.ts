import { type AdminOptions, type AdminServer, startAdminServer } from "../adapters/admin/admin-server.ts";
import type { ServeOutput, ServeSettings } from "../cli/run/settings.ts";
import { formatAccessLine } from "../gateway/observe/access-log.ts";
import type { GatewayEvent } from "../gateway/observe/gateway-event.ts";
import type { Metrics } from "../gateway/observe/metrics.ts";

/** Access log and metrics, of whatever a gateway tells. */
export function observeRequests(
  { accessLog }: ServeSettings,
  { write }: ServeOutput,
  metrics: Metrics,
): (event: GatewayEvent) => void {
  return (event) => {
    metrics.observe(event);
    const line = accessLog === undefined ? undefined : formatAccessLine(event, accessLog, Date.now());
    if (line !== undefined) write(line);
  };
}

/** On the loopback, where `--admin-port` says; a text: why it could not be had. */
export async function openAdmin(
  { adminPort }: ServeSettings,
  options: Omit<AdminOptions, "host" | "port">,
): Promise<AdminServer | string | undefined> {
  if (adminPort === undefined) return undefined;
  try {
    return await startAdminServer({ ...options, host: "127.0.0.1", port: adminPort });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `the admin port ${adminPort} cannot be opened: ${reason}`;
  }
}
