import { parseDurationMs } from "../../core/model/parse/parse-duration.ts";
import { retryTimeline } from "../../core/retry/retry-timeline.ts";
import type { OptionValues } from "../args/option.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { API_VERSION } from "../print/data/effective-json.ts";
import { printData } from "../print/data/print-data.ts";
import { printTimeline } from "../print/print-timeline.ts";

export const command: Command = {
  usage: [
    "[--attempts N] [--backoff DURATION] [--max-backoff DURATION] [--request DURATION] [--backend-request DURATION]",
  ],
  description: [
    "Prints what happens if every attempt fails: when each attempt starts, which attempts fit into the request timeout, how long the client waits, " +
      "and by how much the load on the backends grows. The settings come from the options; no files are read.",
    "Durations are written as in Gateway API: 250ms, 10s, 1m30s. The wait doubles with each retry up to the maximum, and has a jitter of up to a quarter.",
  ],
  options: [
    { name: "attempts", value: "N", help: "retries after the first attempt (default: 1)" },
    { name: "backoff", value: "DURATION", help: "the shortest wait between a failure and its retry" },
    { name: "max-backoff", value: "DURATION", help: "the longest wait (default: ten times the backoff)" },
    { name: "request", value: "DURATION", help: "the timeout of the whole request, waits included" },
    { name: "backend-request", value: "DURATION", help: "the timeout of one attempt" },
  ],
  takes: [],
  outputs: ["json", "yaml"],
  examples: [
    {
      what: "Do three retries fit into ten seconds?",
      line: "retries --attempts 3 --backoff 250ms --backend-request 2s --request 10s",
    },
  ],
  run: async (context) => {
    const { args, options, fail } = context;
    if (args.length > 0) return fail(`unexpected argument '${args[0] ?? ""}': retries takes options only`);
    const settings = parseSettings(options);
    return typeof settings === "string" ? fail(settings, context.seeHelp) : printTimes(settings, context);
  },
};

interface Settings {
  readonly attempts: number;
  readonly durations: Readonly<Record<DurationOption, number | undefined>>;
}

const MOST_ATTEMPTS = 999_999_999;

const DURATIONS = ["backoff", "max-backoff", "request", "backend-request"] as const;
type DurationOption = (typeof DURATIONS)[number];

function parseSettings(options: OptionValues): Settings | string {
  const text = options.value("attempts") ?? "1";
  if (!/^\d+$/.test(text) || Number(text) > MOST_ATTEMPTS)
    return `--attempts is '${text}': give a whole number from 0 to ${MOST_ATTEMPTS}`;
  const durations: Partial<Record<DurationOption, number>> = {};
  for (const name of DURATIONS) {
    const value = options.value(name);
    if (value === undefined) continue;
    const parsed = parseDurationMs(value);
    if (parsed === undefined) return `--${name} is '${value}': give a duration such as 250ms, 10s or 1m30s`;
    durations[name] = parsed;
  }
  const all = { backoff: undefined, "max-backoff": undefined, request: undefined, "backend-request": undefined };
  return { attempts: Number(text), durations: { ...all, ...durations } };
}

/** `0s` disables a timeout. */
const limit = (duration: number | undefined): number | undefined => (duration === 0 ? undefined : duration);

function printTimes({ attempts, durations }: Settings, { output, print }: CommandContext): ExitCode {
  const plan = {
    attempts,
    codes: [],
    backoffMs: durations.backoff,
    maxBackoffMs: durations["max-backoff"],
    afterSend: "Idempotent",
  } as const;
  const timeouts = { requestMs: limit(durations.request), backendRequestMs: limit(durations["backend-request"]) };
  const timeline = retryTimeline(plan, timeouts);
  if (output === "json" || output === "yaml") {
    printData(print, output, { apiVersion: API_VERSION, kind: "RetryTimeline", ...timeline });
    return exitCodes.ok;
  }
  printTimeline(timeline, print, 0);
  if (timeline.amplification > 1) {
    print.paragraph(
      {},
      `While everything fails, backends see ${timeline.amplification} times the requests that clients send.`,
    );
  }
  return exitCodes.ok;
}
