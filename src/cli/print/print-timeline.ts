import { formatDurationMs } from "../../core/model/parse/parse-duration.ts";
import { MAX_LISTED, type Timeline, type TimelineAttempt } from "../../core/retry/retry-timeline.ts";
import type { Printer } from "./terminal/create-printer.ts";
import { glued, type Piece, styled } from "./terminal/styled-text.ts";

const ms = (duration: number): string => glued(formatDurationMs(duration));

/** Prints when each attempt starts if every attempt fails, and how long the client waits. */
export function printTimeline(
  { attempts, timeouts, longestMs, amplification }: Timeline,
  print: Printer,
  indent: number,
): void {
  const { requestMs, backendRequestMs } = timeouts;
  const limit = backendRequestMs === undefined ? "" : `, up to ${ms(backendRequestMs)}`;
  const steps = attempts.flatMap((one): readonly Piece[] => [
    ...(one.waitMs === undefined ? [] : [` → wait ${formatWait(one.waitMs)} → `]),
    one.fits === "never" ? styled(`attempt ${one.number}`, "dim") : `attempt ${one.number}${limit}`,
  ]);
  const more = amplification > attempts.length ? ` → … (${amplification - MAX_LISTED - 1} more)` : "";
  print.paragraph({ indent, hanging: 2 }, ...steps, more);
  const count = amplification === 1 ? "1 attempt" : `${amplification} attempts`;
  const longest =
    longestMs === undefined ? "nothing limits how long the client waits" : `the client waits at most ${ms(longestMs)}`;
  print.paragraph({ indent, hanging: 2 }, `At most ${count}; ${longest}.`);
  for (const warning of warnings(attempts, requestMs))
    print.paragraph({ indent, hanging: 2 }, styled(warning, "yellow"));
}

const formatWait = ({ least, most }: { readonly least: number; readonly most: number }): string =>
  least === most ? ms(least) : `${ms(least)} to ${ms(most)}`;

function* warnings(attempts: readonly TimelineAttempt[], requestMs: number | undefined): Generator<string> {
  if (requestMs === undefined) return;
  const never = attempts.filter(({ fits }) => fits === "never");
  const sometimes = attempts.filter(({ fits, number }) => fits === "sometimes" && number > 1);
  if (never.length > 0) {
    yield `${formatAttempts(never)} can never start: the request times out after ${ms(requestMs)}, before the waits are over.`;
  }
  if (sometimes.length > 0) {
    yield `${formatAttempts(sometimes)} may come too late: if the attempts before take their time, the request times out first, after ${ms(requestMs)}.`;
  }
}

function formatAttempts(attempts: readonly TimelineAttempt[]): string {
  const [first, last] = [attempts[0]?.number, attempts.at(-1)?.number];
  return first === last ? `Attempt ${first ?? ""}` : `Attempts ${first ?? ""} to ${last ?? ""}`;
}
