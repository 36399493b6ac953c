import type { ViewRetries } from "../../core/view/view-types.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { printTraffic } from "../worth/text.ts";

/** Prints what retries are worth, from a view. `sectionName`: only the requests of this rule. Ports and listeners have no counts of their own in a view. */
export function printViewRetries(
  retries: ViewRetries | undefined,
  { print, sectionName }: { readonly print: Printer; readonly sectionName?: string | undefined },
): void {
  if (retries === undefined) return;
  const { windowSeconds, traffic, more = 0, hidden = 0 } = retries;
  const rows = traffic
    .filter(({ rule }) => sectionName === undefined || rule === sectionName)
    .map(({ backend: { port, ...backend }, ...one }) => ({ ...one, backend, port }));
  if (sectionName !== undefined && rows.length === 0) return;
  const sum = sectionName === undefined ? retries : undefined;
  printTraffic(rows, { windowMs: windowSeconds * 1000, counts: rows, uncounted: 0 }, print, sum);
  if (sectionName === undefined && more + hidden > 0)
    print.paragraph(
      { indent: 4 },
      `… and ${more + hidden} more, of which ${hidden} are in namespaces that you may not see`,
    );
}
