import { type AdminOptions, type AdminServer, startAdminServer } from "../adapters/admin/admin-server.ts";
import type { ExitCode } from "../cli/exit-codes.ts";
import type { ServeOutput, ServeSettings } from "../cli/run/settings.ts";
import { formatAccessLine } from "../gateway/observe/access-log.ts";
import type { GatewayEvent } from "../gateway/observe/gateway-event.ts";
import type { Metrics } from "../gateway/observe/metrics.ts";

/** Writes the access log and counts the metrics from the events of a gateway. */
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

/** Opens the admin port on the loopback and prints its address. Undefined: `--admin-port off`. A number: the exit code, because it cannot be opened. */
export async function openAdmin(
  { adminPort }: ServeSettings,
  output: ServeOutput,
  options: Omit<AdminOptions, "host" | "port">,
): Promise<AdminServer | ExitCode | undefined> {
  if (adminPort === undefined) return undefined;
  try {
    const admin = await startAdminServer({ ...options, host: "127.0.0.1", port: adminPort });
    output.note(`metrics at http://127.0.0.1:${admin.port}/metrics`);
    return admin;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return output.fail(
      `the admin port ${adminPort} cannot be opened: ${reason}`,
      "Choose another one with --admin-port, or 'off'.",
    );
  }
}
