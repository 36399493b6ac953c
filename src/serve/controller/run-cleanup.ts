/** `prevail controller --cleanup`: takes back what was written, and ends. */
import type { ControllerSettings } from "../../cli/controller/settings.ts";
import { type ExitCode, exitCodes } from "../../cli/exit-codes.ts";
import type { ServeOutput } from "../../cli/run/settings.ts";
import { cleanUp } from "../../controller/cleanup/clean-up.ts";
import type { ClusterConnection } from "../../sources/cluster/load-cluster.ts";
import { isOneOf } from "./report-part.ts";

export async function runCleanup(
  { client, access }: ClusterConnection,
  { service, report }: ControllerSettings,
  output: ServeOutput,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (report === undefined) return output.fail("there is nothing to take back without --controller-name and --lease");
  const { note } = output;
  const { lease, controllerName } = report;
  const namespace = service.namespace ?? access.namespace;
  try {
    const failures = await cleanUp({
      client,
      lease: { namespace, name: lease.name },
      renewDeadlineMs: lease.renewDeadlineMs,
      isDryRun: report.isDryRun,
      controllerName,
      isOwned: isOneOf(report.own),
      isReported: isOneOf(report.reportAffected),
      signal,
      nowMs: Date.now,
      note,
    });
    if (failures.length === 0) return exitCodes.ok;
    for (const failure of failures) note(failure);
    return output.fail(`${failures.length} problems are left, see above; correct them and run it again`);
  } finally {
    client.close();
  }
}
