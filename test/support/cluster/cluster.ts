/** A cluster under test: evaluates objects and gives short results. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseDocuments } from "../../../src/adapters/files/parse-documents.ts";
import type { EffectivePolicy, MappedField } from "../../../src/core/effective/fold/effective-policy.ts";
import type { PathNode } from "../../../src/core/effective/paths/path-node.ts";
import type { Tally, Verdict } from "../../../src/core/effective/verdicts/verdict.ts";
import type { Source } from "../../../src/core/merge/provenance.ts";
import type { Completeness } from "../../../src/core/model/completeness.ts";
import type { DefinitionLibrary, PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { Finding } from "../../../src/core/model/finding.ts";
import type { Json, JsonObject } from "../../../src/core/model/json.ts";
import {
  affected,
  buildSnapshot,
  buildStatus,
  type CustomStrategy,
  effectivePolicies,
  evaluate,
  findings,
  type StatusLocation,
  type StatusOptions,
  type StatusReport,
  type TargetStatus,
  verdicts,
} from "../../../src/index.ts";

export interface ClusterOptions {
  /** Definitions, or names of files in test/testdata/definitions. */
  readonly definitions?: readonly (string | PolicyDefinition)[];
  /** Definitions that are used where there are objects or CRDs of their kinds. */
  readonly library?: DefinitionLibrary;
  readonly strategies?: Readonly<Record<string, CustomStrategy>>;
  /** Complete: an object that is not there does not exist. The default is `Partial`. */
  readonly completeness?: Completeness;
  /** True: an API server with other CRDs has accepted the objects. */
  readonly validated?: boolean;
}

/** Selects one of several policy kinds, and the traffic. */
interface Which {
  readonly kind?: string;
  readonly from?: string;
}

/** A source as a person would say it: `held: "p1 overrides"`, `by: "p1 overrides AtomicOverrides"`, `lost: ['p2 bare "red" overridden by p1']`. */
export interface Provenance {
  readonly held: string;
  readonly by: string;
  readonly lost: readonly string[];
}

type Evaluation = ReturnType<typeof evaluate>;

export interface Cluster {
  readonly evaluation: Evaluation;
  /** Every path, every node: `GatewayClass/class > Gateway/g1 > Gateway/g1#http > HTTPRoute/r1 > HTTPRoute/r1#rule-1`. */
  readonly paths: (kind?: string) => readonly string[];
  /** Every path by its objects alone, without sections and GatewayClass: `Gateway/g1 > HTTPRoute/r1`. */
  readonly chains: (kind?: string) => readonly string[];
  readonly effective: (kind?: string) => readonly EffectivePolicy[];
  /** The effective policy whose path contains these nodes in this order. There must be exactly one, or one that ends there. */
  readonly effectiveAt: (path: string, which?: Which) => EffectivePolicy;
  /** The spec of that effective policy; empty if there is none. */
  readonly spec: (path: string, which?: Which) => JsonObject;
  readonly source: (path: string, pointer: string, which?: Which) => Provenance;
  readonly sources: (path: string, which?: Which) => Readonly<Record<string, Provenance>>;
  readonly fields: (path: string, which?: Which) => readonly MappedField[];
  /** The policies with a setting on a path, in effect or lost. */
  readonly contributors: (path: string, which?: Which) => readonly string[];
  readonly verdictOf: (policy: string) => Verdict;
  /** `Enforced`, `PartiallyEnforced by p2`, `Overridden by p3`, `NoPath`, `Conflicted by p1`, `TargetNotFound`, `Invalid`. */
  readonly outcome: (policy: string) => string;
  readonly message: (policy: string) => string;
  readonly tally: (policy: string) => Pick<Tally, "paths" | "full" | "partial" | "none" | "met">;
  readonly overridden: (policy: string) => { readonly by: readonly string[]; readonly at: readonly string[] };
  readonly affectedBy: (target: string, kind?: string) => readonly string[];
  readonly affectedTargets: (policy: string) => readonly string[];
  readonly findings: readonly Finding[];
  /** Findings about the object with this name. */
  readonly findingsOn: (name: string) => readonly Finding[];
  /** A line for each ancestor, or one without an ancestor where the kind has none. */
  readonly conditions: (policy: string) => readonly string[];
  /** The condition of that type at each ancestor of a policy, with its message. */
  readonly messages: (policy: string, type: string) => readonly string[];
  /** `Gateway/g1 status.conditions: example.com/ColorPolicyAffected=True by ColorPolicy default/p1`, of every target. */
  readonly targetConditions: () => readonly string[];
  readonly status: (options?: Partial<StatusOptions>) => StatusReport;
}

export function cluster(objects: string | readonly unknown[], options: ClusterOptions = {}): Cluster {
  const { definitions = [], library, strategies = {}, completeness = "Partial", validated = false } = options;
  const documents = [
    ...definitions.filter((name) => typeof name === "string").flatMap(definitionDocuments),
    ...(typeof objects === "string" ? parse(objects, "cluster.yaml") : objects.map((value) => ({ value }))),
  ];
  const snapshot = buildSnapshot(
    documents.map(({ value }) => value),
    { completeness, validated },
  );
  const evaluation = evaluate(snapshot, {
    definitions: definitions.filter((definition) => typeof definition !== "string"),
    library,
    strategies,
  });
  return readersOf(evaluation, documents);
}

const definitionFiles = new Map<string, readonly { readonly value: unknown }[]>();

/** Definitions by file name. Hundreds of tests share a dozen definitions, so each is read once. */
function definitionDocuments(name: string): readonly { readonly value: unknown }[] {
  const known = definitionFiles.get(name);
  if (known !== undefined) return known;
  const file = fileURLToPath(new URL(`../../testdata/definitions/${name}.yaml`, import.meta.url));
  const documents = parse(readFileSync(file, "utf8"), file);
  definitionFiles.set(name, documents);
  return documents;
}

function parse(text: string, file: string): readonly { readonly value: unknown }[] {
  const parsed = parseDocuments(text, file);
  const errors = parsed.findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ line, message }) => `${file}:${line}: ${message}`).join("\n"));
  return parsed.documents;
}

function readersOf(evaluation: Evaluation, documents: readonly { readonly value: unknown }[]): Cluster {
  const effective = (kind?: string) =>
    [...effectivePolicies(evaluation)].filter(({ policyKind }) => kind === undefined || policyKind.kind === kind);
  const effectiveAt = (path: string, which?: Which) =>
    findAtMostOne(effective(which?.kind), path, which?.from) ?? fail(`no effective policy on ${path}`);
  // Without a policy there is no effective policy. The objects must exist; otherwise the test has a typing error.
  const found = (path: string, which?: Which) => {
    const one = findAtMostOne(effective(which?.kind), path, which?.from);
    if (one === undefined) assertNamed(path, documents);
    return one;
  };
  const sources = (path: string, which?: Which) => provenanceOf(found(path, which)?.sources ?? []);
  const verdictOf = (name: string) => findVerdict(evaluation, name);
  const all = findings(evaluation);
  const report = (more: Partial<StatusOptions> = {}) =>
    buildStatus(evaluation, { controllerName: "example.com/controller", ...more });
  return {
    evaluation,
    effective,
    effectiveAt,
    sources,
    verdictOf,
    paths: (kind) => effective(kind).map(showPath),
    chains: (kind) => effective(kind).map(showChain),
    spec: (path, which) => found(path, which)?.spec ?? {},
    source: (path, pointer, which) => {
      const there = sources(path, which);
      return there[pointer] ?? fail(`no source ${pointer} on ${path}; there are ${Object.keys(there).join(", ")}`);
    },
    fields: (path, which) => found(path, which)?.fields ?? [],
    contributors: (path, which) => contributorsOf(effectiveAt(path, which)),
    outcome: (name) => showOutcome(verdictOf(name)),
    message: (name) => {
      const verdict = verdictOf(name);
      return verdict.state !== "Accepted" ? verdict.message : fail(`${name} is accepted`);
    },
    tally: (name) => {
      const { paths, full, partial, none, met } = totalOf(verdictOf(name), name);
      return { paths, full, partial, none, met };
    },
    overridden: (name) => {
      const total = totalOf(verdictOf(name), name);
      return {
        by: total.overriddenBy.map(({ policy }) => shortId(policy)),
        at: total.overriddenAt.map(({ target }) => shortTarget(target)),
      };
    },
    affectedBy: (target, kind) =>
      affected(evaluation)
        .filter(
          (entry) => shortTarget(entry.target) === target && (kind === undefined || entry.policyKind.kind === kind),
        )
        .flatMap(({ policies }) => policies.map(shortId)),
    affectedTargets: (name) =>
      affected(evaluation)
        .filter(({ policies }) => policies.some((policy) => shortId(policy) === name))
        .map(({ target }) => shortTarget(target)),
    findings: all,
    findingsOn: (name) => all.filter(({ object }) => object?.endsWith(`/${name}`)),
    conditions: (name) => showConditions(report(), name),
    messages: (name, type) =>
      report()
        .policies.filter(({ policy }) => shortId(policy) === name)
        .flatMap(({ ancestors }) => ancestors.flatMap(({ conditions }) => conditions))
        .filter((condition) => condition.type === type)
        .map(({ message }) => message),
    targetConditions: () => report().targets.flatMap(showTargetConditions),
    status: report,
  };
}

function fail(message: string): never {
  throw new Error(message);
}

/** `p1` in the namespace `default` or in none, else `infra/p1`. */
function shortId(id: string): string {
  const [, namespace = "", name = ""] = id.split("/");
  return namespace === "" || namespace === "default" ? name : `${namespace}/${name}`;
}

/** `Gateway/g1#http`. */
function shortTarget(id: string): string {
  const slash = id.indexOf("/");
  return `${id.slice(0, slash).split(".")[0]}/${shortId(id)}`;
}

function showNode({ kind, namespace, name, sectionName }: PathNode): string {
  const owner = namespace === "" || namespace === "default" ? "" : `${namespace}/`;
  return `${kind}/${owner}${name}${sectionName === undefined ? "" : `#${sectionName}`}`;
}

const showMarks = ({ from, incomplete }: EffectivePolicy): string =>
  `${from === undefined ? "" : ` (from ${from})`}${incomplete ? " (incomplete)" : ""}`;

const showPath = (policy: EffectivePolicy): string => policy.path.map(showNode).join(" > ") + showMarks(policy);

const showChain = (policy: EffectivePolicy): string =>
  policy.path
    .filter(({ kind, sectionName }) => sectionName === undefined && kind !== "GatewayClass")
    .map(showNode)
    .join(" > ") + showMarks(policy);

function findAtMostOne(
  policies: readonly EffectivePolicy[],
  path: string,
  from: string | undefined,
): EffectivePolicy | undefined {
  const wanted = path.split(" > ");
  const found = policies.filter((policy) => passes(policy, wanted) && (from === undefined || policy.from === from));
  if (found.length < 2) return found[0];
  // Where the settings of a kind take effect at several levels, a path ends at a node that others go through.
  const ending = found.filter((policy) => policy.path.slice(-1).map(showNode)[0] === wanted.at(-1));
  if (ending.length === 1) return ending[0];
  return fail(
    `${found.length} effective policies on ${path}:${found.map((policy) => `\n  ${showPath(policy)}`).join("")}`,
  );
}

/** Fails if an object on the path is not among the documents. A GatewayClass or a Namespace may be implied. */
function assertNamed(path: string, documents: readonly { readonly value: unknown }[]): void {
  const named = documents.map(({ value }) => {
    const { kind, metadata } = value as { readonly kind: string; readonly metadata: PathNode };
    return showNode({ group: "", kind, namespace: metadata.namespace ?? "", name: metadata.name });
  });
  for (const node of path.split(" > ").map((text) => text.split("#")[0] ?? "")) {
    if (!named.includes(node) && !/^(GatewayClass|Namespace)\//.test(node)) fail(`no object ${node} in this cluster`);
  }
}

function passes({ path }: EffectivePolicy, wanted: readonly string[]): boolean {
  let next = 0;
  for (const node of path) if (showNode(node) === wanted[next]) next++;
  return next === wanted.length;
}

const provenanceOf = (sources: readonly Source[]): Readonly<Record<string, Provenance>> =>
  Object.fromEntries(sources.map((source) => [source.pointer, showSource(source)]));

/** One source in words; what lost is sorted, because only its content matters here. */
export function showSource({ policy, block, object, computed, decidedBy, lost }: Source): Provenance {
  const source =
    policy === null
      ? object === undefined
        ? "nobody"
        : `object ${shortTarget(object)}`
      : `${shortId(policy)} ${block}`;
  return {
    held: computed ? `${source} computed` : source,
    by: [decidedBy.policy === null ? undefined : shortId(decidedBy.policy), decidedBy.block, decidedBy.strategy]
      .filter((word) => word !== undefined && word !== null)
      .join(" "),
    lost: lost.map(showLoss).sort(),
  };
}

function showLoss({ policy, block, value, reason, by }: Source["lost"][number]): string {
  const who = policy === undefined ? "object" : `${shortId(policy)} ${block}`;
  // An equal value is not overridden, so its winners are not listed.
  const winners = reason === "equal" || by.length === 0 ? "" : ` by ${by.map(shortId).join(", ")}`;
  return `${who} ${JSON.stringify(value satisfies Json)} ${reason}${winners}`;
}

function contributorsOf({ sources }: EffectivePolicy): readonly string[] {
  const ids = sources.flatMap(({ policy, lost }) => [policy, ...lost.map((loss) => loss.policy)]);
  return [...new Set(ids.filter((id) => id !== null && id !== undefined).map(shortId))].sort();
}

function findVerdict(evaluation: Evaluation, name: string): Verdict {
  const found = [...verdicts(evaluation)].filter(({ policy }) => shortId(policy) === name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.verdict;
  const there = [...verdicts(evaluation)].map(({ policy }) => shortId(policy));
  return fail(`${found.length} verdicts on ${name}; there are ${there.join(", ")}`);
}

function showOutcome(verdict: Verdict): string {
  switch (verdict.state) {
    case "NotAccepted":
    case "Unknown":
      return [verdict.reason, ...by(verdict.by)].join(" ");
    case "Accepted":
      return [verdict.enforcement, ...by(verdict.total.overriddenBy.map(({ policy }) => policy))].join(" ");
  }
}

const by = (ids: readonly string[]): readonly string[] => (ids.length === 0 ? [] : ["by", ids.map(shortId).join(", ")]);

function totalOf(verdict: Verdict, name: string): Tally {
  return verdict.state === "Accepted"
    ? verdict.total
    : fail(`${name} is not accepted: ${verdict.reason}: ${verdict.message}`);
}

/** `Gateway/g1: Accepted=True/Accepted Enforced=False/Overridden`, one line per ancestor. */
function showConditions({ policies }: StatusReport, name: string): readonly string[] {
  return policies
    .filter(({ policy }) => shortId(policy) === name)
    .flatMap(({ ancestors, conditions: own }) => [
      ...(own === undefined ? [] : [listConditions(own)]),
      ...ancestors.map(({ ancestorRef, conditions }) => {
        const { kind, namespace = "", name: ancestor, sectionName } = ancestorRef;
        const at = showNode({ group: "", kind, namespace, name: ancestor, ...(sectionName && { sectionName }) });
        return `${at}: ${listConditions(conditions)}`;
      }),
    ]);
}

const listConditions = (conditions: NonNullable<StatusReport["policies"][number]["conditions"]>): string =>
  conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`).join(" ");

function showTargetConditions({ object, location, conditions }: TargetStatus): readonly string[] {
  return conditions.map(({ type, status: value, message }) => {
    const by = message.replace("affected by ", "by ");
    return `${shortTarget(object)} ${showLocation(location)}: ${type}=${value} ${by}`;
  });
}

function showLocation(location: StatusLocation): string {
  switch (location.at) {
    case "Conditions":
      return "status.conditions";
    case "Annotations":
      return "metadata.annotations";
    case "Listener":
      return `status.listeners[${location.name}]`;
    case "Parent": {
      const { name, sectionName } = location.parentRef as { readonly name: string; readonly sectionName?: string };
      return `status.parents[${name}${sectionName === undefined ? "" : `#${sectionName}`}]`;
    }
  }
}
