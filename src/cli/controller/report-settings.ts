/** The options about reporting: status, leader election. */
import { parseDurationMs } from "../../core/model/parse/parse-duration.ts";
import { controllerNameOption, parseControllerName } from "../args/controller-name.ts";
import type { Option, OptionValues } from "../args/option.ts";

/** A kind as it is named on the command line. */
export interface KindName {
  readonly kind: string;
  /** Undefined: any group. */
  readonly group: string | undefined;
}

export interface ReportSettings {
  readonly controllerName: string;
  /** The policy kinds whose status is written. */
  readonly own: readonly KindName[];
  /** Kinds of objects, beside those of Gateway API, that get `Affected` conditions. */
  readonly reportAffected: readonly KindName[];
  readonly isDryRun: boolean;
  readonly lease: LeaseSettings;
}

export interface LeaseSettings {
  readonly name: string;
  readonly durationSeconds: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

const DEFAULT_OWN = ["RetryPolicy.prevail.dev", "ClusterRetryPolicy.prevail.dev"];
const DEFAULT_LEASE = "prevail-controller";
const DEFAULT_TIMES = { "lease-duration": "15s", "lease-renew-deadline": "10s", "lease-retry": "2s" };

export const reportOptions: readonly Option[] = [
  {
    name: "own",
    value: "KIND[.GROUP]",
    list: true,
    repeatable: true,
    help: `the policy kinds whose status is written (default: ${DEFAULT_OWN.join(",")})`,
  },
  {
    name: "report-affected",
    value: "KIND[.GROUP]",
    list: true,
    repeatable: true,
    help: "kinds beside Gateways, GatewayClasses, ListenerSets and routes that get <Kind>Affected conditions, or annotations (default: none)",
  },
  controllerNameOption,
  { name: "dry-run", help: "print what would be written, and write no status, Event or Lease" },
  {
    name: "lease",
    value: "NAME",
    help: `the Lease that the replica which writes owns, in the namespace of the Pod (default: ${DEFAULT_LEASE})`,
  },
  {
    name: "lease-duration",
    value: "DURATION",
    help: `how long other replicas wait for a leader that is gone (default: ${DEFAULT_TIMES["lease-duration"]})`,
  },
  {
    name: "lease-renew-deadline",
    value: "DURATION",
    help: `how long a leader that cannot renew its Lease writes (default: ${DEFAULT_TIMES["lease-renew-deadline"]})`,
  },
  {
    name: "lease-retry",
    value: "DURATION",
    help: `how often the Lease is claimed or renewed (default: ${DEFAULT_TIMES["lease-retry"]})`,
  },
];

/** Undefined with `--view-only`. A text says what is wrong with the options. */
export function parseReportSettings(options: OptionValues): ReportSettings | string | undefined {
  if (options.has("view-only")) {
    const stray = reportOptions.find(({ name }) => options.has(name));
    return stray === undefined ? undefined : `--${stray.name} is about status, which is not written with --view-only`;
  }
  if (options.has("redact-names"))
    return "--redact-names is about the view API and the webhooks, and status and Events name policies: add --view-only";
  const controller = parseControllerName(options);
  if (!controller.ok) return controller.message;
  const own = parseKinds(options, "own", DEFAULT_OWN);
  if (typeof own === "string") return own;
  const reportAffected = parseKinds(options, "report-affected", []);
  if (typeof reportAffected === "string") return reportAffected;
  const lease = parseLease(options);
  if (typeof lease === "string") return lease;
  const { controllerName } = controller;
  return { controllerName, own, reportAffected, isDryRun: options.has("dry-run"), lease };
}

const KIND_NAME = /^([A-Z][A-Za-z0-9]*)(?:\.([a-z0-9][-a-z0-9.]*))?$/;

function parseKinds(options: OptionValues, option: string, byDefault: readonly string[]): readonly KindName[] | string {
  const given = options.has(option) ? options.values(option) : byDefault;
  const kinds: KindName[] = [];
  for (const text of given) {
    const [, kind, group] = KIND_NAME.exec(text) ?? [];
    if (kind === undefined)
      return `--${option} is '${text}': give a kind, or a kind and its group, such as ${DEFAULT_OWN[0] ?? ""}`;
    kinds.push({ kind, group });
  }
  return kinds;
}

function parseLease(options: OptionValues): LeaseSettings | string {
  const times = new Map<string, number>();
  for (const [option, byDefault] of Object.entries(DEFAULT_TIMES)) {
    const text = options.value(option) ?? byDefault;
    const ms = parseDurationMs(text);
    if (ms === undefined || ms <= 0) return `--${option} is '${text}': give a duration, such as ${byDefault}`;
    times.set(option, ms);
  }
  const [durationMs = 0, renewDeadlineMs = 0, retryMs = 0] = times.values();
  if (durationMs % 1000 !== 0) return "--lease-duration: a Lease lasts whole seconds";
  if (!(retryMs < renewDeadlineMs && renewDeadlineMs < durationMs))
    return "--lease-retry must be less than --lease-renew-deadline, and that less than --lease-duration";
  return {
    name: options.value("lease") ?? DEFAULT_LEASE,
    durationSeconds: durationMs / 1000,
    renewDeadlineMs,
    retryMs,
  };
}
