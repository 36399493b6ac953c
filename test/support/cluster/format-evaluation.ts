/** All results of an evaluation as text for golden files, short enough to be checked by hand. */
import type { EffectivePolicy } from "../../../src/core/effective/fold/effective-policy.ts";
import type { PathNode } from "../../../src/core/effective/paths/path-node.ts";
import type { Tally, Verdict } from "../../../src/core/effective/verdicts/verdict.ts";
import type { Lost, Source } from "../../../src/core/merge/provenance.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../../../src/core/model/json.ts";
import { affected, effectivePolicies, type evaluate, findings, verdicts } from "../../../src/index.ts";

type Evaluation = ReturnType<typeof evaluate>;

export function formatEvaluation(evaluation: Evaluation): string {
  return [
    "# Effective policies",
    ...[...effectivePolicies(evaluation)].map(formatEffective),
    "# Verdicts",
    ...[...verdicts(evaluation)].map(({ policy, verdict }) =>
      [shortId(policy), ...formatVerdict(verdict)].join("\n  "),
    ),
    "# Affected",
    affected(evaluation)
      .map(({ target, policies }) => `${shortId(target)}: ${policies.map(shortId).join(", ")}`)
      .join("\n"),
    "# Findings",
    ...findings(evaluation).map(({ severity, code, object, field, message, source }) =>
      [
        `${severity} ${code}: ${object === undefined ? "" : shortId(object)}${field === undefined ? "" : ` ${field}`}`,
        message,
        source === undefined ? "no position" : `${source.file}:${source.line}:${source.column}`,
      ].join("\n  "),
    ),
    "",
  ].join("\n\n");
}

function formatEffective({ policyKind, path, from, incomplete, spec, sources }: EffectivePolicy): string {
  const more = `${from === undefined ? "" : ` (from ${from})`}${incomplete === true ? " (incomplete)" : ""}`;
  const title = `${policyKind.kind}: ${path.map(formatNode).join(" > ")}${more}`;
  return [title, ...sources.flatMap((source) => formatSource(spec, source))].join("\n  ");
}

const formatNode = ({ kind, namespace, name, sectionName }: PathNode): string =>
  `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}${sectionName === undefined ? "" : `#${sectionName}`}`;

function formatSource(spec: JsonObject, { pointer, policy, block, object, decidedBy, lost }: Source): string[] {
  const source = policy !== null ? `${shortId(policy)} ${block ?? ""}` : object === undefined ? "nobody" : "the object";
  const step = `${decidedBy.strategy}${decidedBy.policy === policy ? "" : ` of ${shortId(decidedBy.policy ?? "")}`}`;
  return [`${pointer} = ${valueAt(spec, pointer)}: ${source} (${step})`, ...lost.map(formatLost)];
}

function formatLost({ policy, block, value, reason, by }: Lost): string {
  const who = policy === undefined ? "the object" : `${shortId(policy)} ${block ?? ""}`;
  const whom = by.length === 0 ? "" : ` by ${by.map(shortId).join(", ")}`;
  return `  not ${JSON.stringify(value)}: ${who}, ${reason}${whom}`;
}

function valueAt(spec: JsonObject, pointer: string): string {
  let value: Json | undefined = spec;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    value = value !== undefined && isJsonObject(value) ? ownValue(value, key) : undefined;
  }
  return value === undefined ? "nothing" : JSON.stringify(value);
}

function formatVerdict(verdict: Verdict): readonly string[] {
  switch (verdict.state) {
    case "NotAccepted":
    case "Unknown":
      return [`${verdict.state} ${verdict.reason}: ${verdict.message}`];
    case "Accepted":
      return [
        `${verdict.state} ${verdict.enforcement}: ${formatTally(verdict.total)}`,
        ...verdict.total.overriddenBy.map(({ policy, paths }) => `overridden by ${shortId(policy)} on ${paths}`),
        ...verdict.total.overriddenAt.map(({ target, paths }) => `overridden at ${shortId(target)} on ${paths}`),
        ...verdict.ancestors.map(
          ({ ancestor, enforcement, tally }) => `under ${shortId(ancestor)} ${enforcement}: ${formatTally(tally)}`,
        ),
      ];
  }
}

const formatTally = ({ paths, full, partial, none, met }: Tally): string =>
  `paths ${paths}: whole ${full}, in part ${partial}, not at all ${none}, not needed ${met}`;

/** `HTTPRoute.gateway.networking.k8s.io/bakery/baker#order` → `HTTPRoute bakery/baker#order`. */
const shortId = (id: string): string => id.replace(/^([^./]+)\.[^/]*\/(?:\/)?/, "$1 ");
