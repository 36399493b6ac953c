import { formatDurationMs } from "../core/model/parse/parse-duration.ts";
import { MAX_TOLD, type Timeline, type TimelineTry } from "../core/retry/retry-timeline.ts";
import type { Printer } from "./create-printer.ts";
import { glued, type Piece, styled } from "./text.ts";

const ms = (duration: number): string => glued(formatDurationMs(duration));

/** What a client may live to see, try by try, if every try fails. */
export function tellTimeline(
  { tries, timeouts, longestMs, amplification }: Timeline,
  print: Printer,
  indent: number,
): void {
  const { requestMs, backendRequestMs } = timeouts;
  const limit = backendRequestMs === undefined ? "" : `, up to ${ms(backendRequestMs)}`;
  const steps = tries.flatMap((one): readonly Piece[] => [
    ...(one.waitMs === undefined ? [] : [` → wait ${showWait(one.waitMs)} → `]),
    one.fits === "never" ? styled(`try ${one.number}`, "dim") : `try ${one.number}${limit}`,
  ]);
  const more = amplification > tries.length ? ` → … (${amplification - MAX_TOLD - 1} more)` : "";
  print.paragraph({ indent, hanging: 2 }, ...steps, more);
  const count = amplification === 1 ? "1 try" : `${amplification} tries`;
  const longest =
    longestMs === undefined ? "nothing limits how long the client waits" : `the client waits at most ${ms(longestMs)}`;
  print.paragraph({ indent, hanging: 2 }, `At most ${count}; ${longest}.`);
  for (const warning of warnings(tries, requestMs)) print.paragraph({ indent, hanging: 2 }, styled(warning, "yellow"));
}

const showWait = ({ least, most }: { readonly least: number; readonly most: number }): string =>
  least === most ? ms(least) : `${ms(least)} to ${ms(most)}`;

function* warnings(tries: readonly TimelineTry[], requestMs: number | undefined): Generator<string> {
  if (requestMs === undefined) return;
  const never = tries.filter(({ fits }) => fits === "never");
  const sometimes = tries.filter(({ fits, number }) => fits === "sometimes" && number > 1);
  if (never.length > 0) {
    yield `${showTries(never)} can never start: the request times out after ${ms(requestMs)}, before the waits are over.`;
  }
  if (sometimes.length > 0) {
    yield `${showTries(sometimes)} may come too late: if the tries before take their time, the request times out first, after ${ms(requestMs)}.`;
  }
}

function showTries(tries: readonly TimelineTry[]): string {
  const [first, last] = [tries[0]?.number, tries.at(-1)?.number];
  return first === last ? `Try ${first ?? ""}` : `Tries ${first ?? ""} to ${last ?? ""}`;
}
