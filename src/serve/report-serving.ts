/** What `prevail run` says while it runs: on standard error, as standard output is the access log. */
import type { ConfigMetrics } from "../adapters/admin/config-metrics.ts";
import { printUnreadable } from "../cli/print/print-unreadable.ts";
import type { ServeOutput } from "../cli/run/settings.ts";
import { type AddressOf, printServed } from "../cli/run/text.ts";
import type { ControlEvent } from "../controller/control-loop.ts";
import { displayRef, parseObjectId } from "../core/model/refs.ts";

export interface ReportSources {
  /** Where people reach what is served, asked when it is served first. */
  readonly addressOf: () => AddressOf;
  /** What becomes of each configuration. */
  readonly noteConfig?: ConfigMetrics["noteConfig"];
}

export function createReporter(
  { tell, note }: Pick<ServeOutput, "tell" | "note">,
  { addressOf, noteConfig }: ReportSources,
): (event: ControlEvent) => void {
  let told: ReadonlySet<string> = new Set();
  const printProblems = (problems: readonly string[]): void => {
    for (const problem of problems) if (!told.has(problem)) note(problem);
    told = new Set(problems);
  };
  return (event) => {
    switch (event.type) {
      case "Unchanged":
        return;
      case "Kept":
        noteConfig?.("Kept");
        printUnreadable(tell, event.broken);
        note(`the files cannot be used as they are; configuration ${event.generation} is still served`);
        return;
      case "Applied":
        noteConfig?.({ generation: event.generation });
        if (event.generation === 1) {
          printUnreadable(tell, event.broken);
          printServed(event.config, tell, addressOf());
        } else {
          const changes = event.changes === 1 ? "1 object" : `${event.changes} objects`;
          note(`${changes} changed; configuration ${event.generation} is served, after ${event.tookMs.toFixed(1)} ms`);
        }
        for (const { policy, message } of event.notAccepted) {
          note(`${displayRef(parseObjectId(policy))} is not in force: ${message}`);
        }
        printProblems(event.problems);
        return;
    }
  };
}
