/** Prints the events of `prevail run` to standard error: standard output has the access log. */
import type { ConfigMetrics } from "../adapters/admin/config-metrics.ts";
import { formatCaveat, printCaveats } from "../cli/caveats/text.ts";
import { printUnreadable } from "../cli/print/print-unreadable.ts";
import type { ServeOutput } from "../cli/run/settings.ts";
import { type AddressOf, printServed } from "../cli/run/text.ts";
import type { ControlEvent } from "../controller/control-loop.ts";
import type { Caveat } from "../core/caveats/caveat.ts";
import type { DataplaneConfig } from "../core/dataplane/gateway-config.ts";
import { formatRef, parseObjectId } from "../core/model/refs.ts";

/** The error message, and a hint, if all ports are in use. */
export const NOTHING_SERVED = [
  "no port could be opened, so nothing is served",
  "'run --dry-run' prints what would be served.",
] as const;

export interface ReportSources {
  /** The address of each open port. Called after the first configuration is served. */
  readonly addressOf: () => AddressOf;
  readonly metrics?: {
    /** Records whether a configuration was served or refused. */
    readonly noteConfig: ConfigMetrics["noteConfig"];
    /** Gets each configuration that is served. */
    readonly useConfig?: (config: DataplaneConfig) => void;
  };
}

export function createReporter(
  { errorPrint, note }: Pick<ServeOutput, "errorPrint" | "note">,
  { addressOf, metrics }: ReportSources,
): (event: ControlEvent) => void {
  let printed: ReadonlySet<string> = new Set();
  const printProblems = (problems: readonly string[]): void => {
    for (const problem of problems) if (!printed.has(problem)) note(problem);
    printed = new Set(problems);
  };
  let shown: ReadonlySet<string> = new Set();
  /** At the start under a heading; later those that are new, and that all are resolved. */
  const printNewCaveats = (caveats: readonly Caveat[], isFirst: boolean): void => {
    const texts = new Map(caveats.map((caveat) => [`${caveat.severity}: ${formatCaveat(caveat)}`, caveat]));
    if (isFirst) printCaveats(caveats, errorPrint);
    else for (const text of texts.keys()) if (!shown.has(text)) note(`caveat, ${text}`);
    if (texts.size === 0 && shown.size > 0) note("there are no caveats any more");
    shown = new Set(texts.keys());
  };
  return (event) => {
    switch (event.type) {
      case "Unchanged":
        return;
      case "Kept":
        metrics?.noteConfig("Kept");
        printUnreadable(errorPrint, event.broken);
        note(`the changed files are not usable; configuration ${event.generation} is still served`);
        return;
      case "Applied":
        metrics?.noteConfig({ generation: event.generation });
        metrics?.useConfig?.(event.config);
        if (event.generation === 1) {
          printServed(event.config, errorPrint, addressOf());
        } else {
          const changes = event.changes === 1 ? "1 object" : `${event.changes} objects`;
          note(`${changes} changed; configuration ${event.generation} is served, after ${event.tookMs.toFixed(1)} ms`);
        }
        for (const { policy, message } of event.notAccepted) {
          note(`${formatRef(parseObjectId(policy))} is not accepted: ${message}`);
        }
        printProblems(event.problems);
        printNewCaveats(event.caveats, event.generation === 1);
        return;
    }
  };
}
