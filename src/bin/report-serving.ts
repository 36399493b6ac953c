/** What `prevail run` says while it runs: on standard error, as standard output is the access log. */
import { reportUnreadable } from "../cli/report-unreadable.ts";
import type { ServeSpeech } from "../cli/serve-settings.ts";
import { type AddressOf, tellServed } from "../cli/tell-served.ts";
import type { ControlEvent } from "../controller/control-loop.ts";
import { displayRef } from "../core/model/refs.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Metrics } from "../gateway/metrics.ts";

export function createReporter(
  { tell, note }: Pick<ServeSpeech, "tell" | "note">,
  gateway: Gateway,
  metrics: Metrics,
): (event: ControlEvent) => void {
  let told: ReadonlySet<string> = new Set();
  const tellProblems = (problems: readonly string[]): void => {
    for (const problem of problems) if (!told.has(problem)) note(problem);
    told = new Set(problems);
  };
  return (event) => {
    switch (event.type) {
      case "Unchanged":
        return;
      case "Kept":
        metrics.noteConfig("Kept");
        reportUnreadable(tell, event.broken);
        note(`the files cannot be used as they are; configuration ${event.generation} is still served`);
        return;
      case "Applied":
        metrics.noteConfig({ generation: event.generation });
        if (event.generation === 1) {
          reportUnreadable(tell, event.broken);
          tellServed(event.config, tell, addressOf(gateway));
        } else {
          const changes = event.changes === 1 ? "1 object" : `${event.changes} objects`;
          note(`${changes} changed; configuration ${event.generation} is served, after ${event.tookMs.toFixed(1)} ms`);
        }
        tellProblems(event.problems);
        return;
    }
  };
}

function addressOf(gateway: Gateway): AddressOf {
  const open = new Map(gateway.openPorts().map((port) => [`${displayRef(port.gateway)} ${port.port}`, port] as const));
  return (ref, port) => {
    const found = open.get(`${displayRef(ref)} ${port}`);
    if (found === undefined) return undefined;
    const host = found.address.includes(":") ? `[${found.address}]` : found.address;
    return `${host}:${found.boundPort}`;
  };
}
