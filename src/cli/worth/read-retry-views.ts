import type { Caveat } from "../../core/caveats/caveat.ts";
import { caveat } from "../../core/caveats/caveat-context.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { formatRef, type ObjectId, type ObjectRef, objectId } from "../../core/model/refs.ts";
import { type RetryReport, trafficKey } from "../../core/retry/retry-counts.ts";
import type { EffectivePolicyView } from "../../core/view/view-types.ts";
import type { CommandContext } from "../command.ts";
import type { ViewAnswer } from "../view/ask-view-api.ts";
import { parseEffectiveView } from "../view/parse-view.ts";
import { isDirect } from "../view/via-option.ts";
import type { ReadCounts } from "./read-retry-counts.ts";

/** The most objects whose views are read for one answer. */
const MOST_VIEWS = 32;

/** The counts of the controller of a cluster. */
export interface ViewedCounts extends ReadCounts {
  /** The Gateways of which it counts requests. Of others nothing is known. */
  readonly gateways: ReadonlySet<ObjectId>;
}

export interface RetryQuestion {
  /** The objects whose requests are asked about: Gateways, routes, Services. Others are left out. */
  readonly refs: readonly ObjectRef[];
  /** The Gateways that the answer is about. */
  readonly gateways?: readonly ObjectRef[];
  /** `Caveat`: the answer is about what retries are worth, so a refusal leaves something out. `Silent`: it does not need the counts. */
  readonly refusals: "Caveat" | "Silent";
}

/**
 * Reads the counts of the controller of a cluster from the view API, for commands that read the objects themselves. Undefined: there is no
 * cluster or no view API, or the controller knows nothing of these objects.
 */
export async function readRetryViews(
  { cluster, options }: CommandContext,
  { refs, gateways = [], refusals }: RetryQuestion,
): Promise<ViewedCounts | undefined> {
  const asked = distinct([...gateways, ...refs]).filter(isCounted);
  if (cluster === undefined || isDirect(options) || asked.length === 0) return undefined;
  const { askEffectiveViews } = await import("../view/ask-view-api.ts");
  const answers = await askEffectiveViews(cluster.client, asked.slice(0, MOST_VIEWS));
  cluster.client.close();
  if (answers === undefined) return undefined;
  const parts = answers.map((answer, index) => partOf(answer, asked[index]));
  const reports = parts.flatMap(({ report }) => report ?? []);
  const refused = refusals === "Caveat" ? refusedViews(answers, asked) : [];
  const caveats = [...refused, ...parts.flatMap((part) => part.caveats)];
  if (reports.length === 0)
    return caveats.length === 0 ? undefined : { report: undefined, caveats, gateways: new Set() };
  const report = joinViews(reports);
  const counted = new Set([
    ...parts.flatMap((part) => (part.report === undefined || part.ref === undefined ? [] : objectId(part.ref))),
    ...report.counts.map(({ gateway }) => objectId(gateway)),
  ]);
  const others = distinct(gateways).filter((gateway) => !counted.has(objectId(gateway)));
  caveats.push(...others.map((gateway) => notRead(gateway, "the view API has no counts of it")));
  const left = asked.length - MOST_VIEWS;
  if (left > 0) caveats.push(notAsked(left));
  return { report, caveats: [...new Map(caveats.map((one) => [one.message, one])).values()], gateways: counted };
}

/** Reads the counts in the view of one object. */
function partOf(
  answer: ViewAnswer,
  ref: ObjectRef | undefined,
): {
  readonly ref: ObjectRef | undefined;
  readonly report?: RetryReport | undefined;
  readonly caveats: readonly Caveat[];
} {
  if (ref === undefined) return { ref, caveats: [] };
  if (answer.state !== "found") return { ref, caveats: [] };
  const view = parseEffectiveView(answer.object);
  if (view === undefined)
    return { ref, caveats: [notRead(ref, "the view API is of another version than this program")] };
  const { report, missing } = reportOf(view);
  return { ref, report, caveats: missing.map((reason) => notRead(ref, reason)) };
}

/** One caveat: a user without the right to views has it for none of the objects, or for those of some namespaces. */
function refusedViews(answers: readonly ViewAnswer[], asked: readonly ObjectRef[]): Caveat[] {
  const refused = answers.flatMap((answer, index) => {
    const ref = asked[index];
    return answer.state === "refused" && ref !== undefined ? [{ ref, reason: answer.reason }] : [];
  });
  const [first] = refused;
  if (first === undefined) return [];
  const others = refused.length === 1 ? "" : ` (and ${refused.length - 1} more)`;
  return [notRead(first.ref, `${first.reason}${others}`)];
}

const distinct = (refs: readonly ObjectRef[]): readonly ObjectRef[] => [
  ...new Map(refs.map((ref) => [objectId(ref), ref])).values(),
];

const isCounted = ({ group, kind }: ObjectRef): boolean =>
  (group === "" && kind === "Service") || (group === GATEWAY_API && /^(?:Gateway|HTTPRoute|GRPCRoute)$/.test(kind));

/** The counts of a view, and why some are missing. The rows that it leaves out are not zero. */
function reportOf({ retries, caveats }: EffectivePolicyView): {
  readonly report: RetryReport | undefined;
  readonly missing: readonly string[];
} {
  const own = caveats.filter(({ code }) => code === "CountersNotRead").map(({ message }) => message);
  if (retries === undefined) return { report: undefined, missing: own };
  const { more = 0, hidden = 0, traffic, windowSeconds } = retries;
  const counts = traffic.map(({ backend: { port, ...backend }, ...one }) => ({ ...one, backend, port }));
  const report = { windowMs: windowSeconds * 1000, counts, uncounted: 0 };
  const left = more + hidden;
  const rows = `${left} rules and backends are not listed, of which ${hidden} are in namespaces that you may not see`;
  return { report, missing: left === 0 ? own : [...own, rows] };
}

/** Several views may have the same row. */
function joinViews(reports: readonly RetryReport[]): RetryReport {
  const rows = new Map(reports.flatMap(({ counts }) => counts.map((one) => [trafficKey(one), one])));
  return {
    windowMs: Math.max(...reports.map(({ windowMs }) => windowMs)),
    counts: [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
    uncounted: 0,
  };
}

function notAsked(count: number): Caveat {
  const summary = `${count} more objects were not asked about`;
  return caveat("CountersNotRead", { message: `what retries are worth is not known of all: ${summary}`, summary });
}

const notRead = (ref: ObjectRef, reason: string): Caveat =>
  caveat("CountersNotRead", {
    message: reason.startsWith("what retries are worth")
      ? reason
      : `what retries are worth is not known, or not all of it, for ${formatRef(ref)}: ${reason}`,
    summary: "the counters of a Gateway were not read",
    fix: "See the log of the controller and your rights to effectivepolicies.view.prevail.dev, or give --gateway-admin the admin port of a gateway.",
  });
