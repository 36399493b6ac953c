/** Findings about conditions in `status` that differ from the conditions that Prevail computes from the objects. */
import { objectsAbove } from "../../effective/paths/gateways-above.ts";
import { verdictOf } from "../../effective/verdicts/verdict-of.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { PolicyRecord, World } from "../../effective/world/world.ts";
import type { StatusWords } from "../../model/definition/status-rules.ts";
import { isJsonObject, type JsonObject, ownValue, textOf } from "../../model/json.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { hasApproximateTargets } from "../../model/parse/policy/approximations-of.ts";
import { formatRef, isPlainName, type ObjectId, objectId, type PolicyId, splitId } from "../../model/refs.ts";
import { MAX_ANCESTORS } from "../../status/limit-ancestors.ts";
import type {
  AncestorStatus,
  Condition,
  PolicyStatus,
  StatusLocation,
  StatusReport,
  TargetStatus,
} from "../../status/status-report.ts";
import { statusReportOf } from "../../status/status-report-of.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";
import { type ComputedStates, computedStates, differsInWords, formatStates, reportsState } from "./claimed-words.ts";
import { affectedClaims, type Claim, claimsIn, entriesOf, textOr } from "./status-claims.ts";

/** The reasons of GEP-713. A vendor's own reasons are not compared. */
const KNOWN_REASONS: ReadonlySet<string> = new Set([
  "Accepted",
  "Invalid",
  "TargetNotFound",
  "Conflicted",
  "Enforced",
  "PartiallyEnforced",
  "Programmed",
  "PartiallyProgrammed",
  "Overridden",
  "NoPath",
  // Gateway API, BackendTLSPolicy.
  "NoValidCACertificate",
  "ResolvedRefs",
  "InvalidCACertificateRef",
  "InvalidKind",
]);

export function checkStatus(world: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const reports = new Reports(world);
  world.policies.forEach((record) => {
    for (const [index, entry] of entriesOf(record.object, "ancestors"))
      findings.push(...ofAncestor(world, record, entry, index, reports));
    findings.push(...ofWhole(world, record, reports));
  });
  const types = new Set(world.rulebook.kinds.map(({ policyKind }) => `${policyKind.kind}Affected`));
  world.objects.forEach((object) => {
    for (const claim of affectedClaims(object, types)) findings.push(...ofTarget(claim, reports));
  });
  let isCrowded = false;
  world.countTallies().forEach((tally) => {
    isCrowded ||= tally.size > MAX_ANCESTORS;
  });
  return isCrowded ? [...findings, ...reports.leftOut()] : findings;
}

/** The status that Prevail computes, on demand: most files have no status. */
class Reports {
  readonly #world: World;
  readonly #affected: Map<string, ReadonlyMap<ObjectId, readonly TargetStatus[]>> = new Map();
  #report: StatusReport | undefined;
  #policies: ReadonlyMap<ObjectId, PolicyStatus> | undefined;
  #refused: ReadonlySet<CompiledKind> | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * True if a controller calls a policy of the kind invalid that is accepted here. It then counts for the controller in ways that are not known here, for
   * the other policies of the kind, too.
   */
  hasRefused(kind: CompiledKind): boolean {
    this.#refused ??= refusedKinds(this.#world);
    return this.#refused.has(kind);
  }

  /** The status of a policy, to compare with the entries of any controller. */
  of(policy: ObjectId): PolicyStatus | undefined {
    this.#policies ??= new Map(this.#whole().policies.map((own) => [own.policy, own]));
    return this.#policies.get(policy);
  }

  /** Findings about policies with more than 16 ancestors. */
  leftOut(): readonly CheckFinding[] {
    return this.#whole().findings;
  }

  #whole(): StatusReport {
    this.#report ??= statusReportOf(this.#world, { controllerName: "prevail.dev/check" });
    return this.#report;
  }

  /** The `Affected` conditions that the target should have, for a controller of that domain. */
  affected(target: ObjectId, domain: string): readonly TargetStatus[] {
    let known = this.#affected.get(domain);
    if (known === undefined) {
      const byObject = new Map<ObjectId, TargetStatus[]>();
      for (const status of statusReportOf(this.#world, { controllerName: `${domain}/check` }).targets)
        byObject.set(status.object, [...(byObject.get(status.object) ?? []), status]);
      known = byObject;
      if (this.#affected.size < MOST_DOMAINS) this.#affected.set(domain, known);
    }
    return known.get(target) ?? [];
  }
}

const MOST_DOMAINS = 16;

function refusedKinds(world: World): ReadonlySet<CompiledKind> {
  const kinds = new Set<CompiledKind>();
  world.policies.forEach(({ kind, object }) => {
    const { words } = kind.definition.status;
    const status = ownValue(object.raw, "status");
    if (words === undefined || !isJsonObject(status) || kinds.has(kind)) return;
    const entries = [status, ...[...entriesOf(object, "ancestors")].map(([, entry]) => entry)];
    const claims = entries.flatMap((entry) => claimsIn(object, entry, "status"));
    if (claims.some((claim) => reportsState(claim, words, "Invalid"))) kinds.add(kind);
  });
  return kinds;
}

function ofAncestor(
  world: World,
  record: PolicyRecord,
  entry: JsonObject,
  index: number,
  reports: Reports,
): readonly CheckFinding[] {
  const { object } = record;
  const controllerName = textOf(ownValue(entry, "controllerName"));
  const ref = ownValue(entry, "ancestorRef");
  if (!isJsonObject(ref)) return [];
  const { words } = record.kind.definition.status;
  if (hasApproximateTargets(object, record.kind.definition)) return [];
  if (words !== undefined) return inWords(world, record, words, { entry, ref, index, controllerName, reports });
  const status = reports.of(object.id);
  if (status === undefined) return [];
  const computed = findAncestor(status.ancestors, ref, object);
  const at = `${nameOf(ref, object)}${controllerName === "" ? "" : `, by ${controllerName}`}`;
  // Gateway API, BackendTLSPolicyValidation.caCertificateRefs: implementations may support more kinds of references.
  const isLeftOpen = computed?.conditions.some(({ reason }) => reason === "InvalidKind") === true;
  return claimsIn(object, entry, `status.ancestors[${index}]`).flatMap((claim) => {
    const ours = computed?.conditions.find(({ type }) => type === claim.type);
    if (ours !== undefined) return differs(claim, ours) && !isLeftOpen ? [differing(claim, ours, at)] : [];
    if (computed !== undefined || claim.type !== "Accepted" || claim.status !== "True") return [];
    // A full list does not have all ancestors, so a missing one proves nothing.
    if (status.ancestors.length >= MAX_ANCESTORS || mayBeAncestor(world, record, ref)) return [];
    // A target or an ancestor may be of a kind that is left to implementations.
    const claimed = claimedObject(world, record, ref);
    const isKnown = claimed !== undefined && !world.policies.has(claimed as PolicyId);
    return isKnown && verdictOf(world, record).state !== "Unknown" ? [unreached(claim, at)] : [];
  });
}

/** The conditions of an entry, in the words of the vendor. */
function inWords(
  world: World,
  record: PolicyRecord,
  words: StatusWords,
  claimed: {
    readonly entry: JsonObject;
    readonly ref: JsonObject;
    readonly index: number;
    readonly controllerName: string;
    readonly reports: Reports;
  },
): readonly CheckFinding[] {
  const { entry, ref, index, controllerName, reports } = claimed;
  const { object } = record;
  const at = `${nameOf(ref, object)}${controllerName === "" ? "" : `, by ${controllerName}`}`;
  const ancestor = claimedObject(world, record, ref);
  const claims = claimsIn(object, entry, `status.ancestors[${index}]`);
  const computed = computedStates(world, record, { ancestor, withEffect: !reports.hasRefused(record.kind) });
  if (computed?.states.has("Accepted") && ancestor !== undefined && !mayBeAncestor(world, record, ref))
    return claims.filter((claim) => reportsState(claim, words, "Accepted")).map((claim) => unreached(claim, at));
  return differencesInWords(claims, words, computed, at);
}

/** The conditions of a status without ancestors, in the words of the vendor. */
function ofWhole(world: World, record: PolicyRecord, reports: Reports): readonly CheckFinding[] {
  const { ancestors, words } = record.kind.definition.status;
  const status = ownValue(record.object.raw, "status");
  if (words === undefined || ancestors !== "None" || !isJsonObject(status)) return [];
  const claims = claimsIn(record.object, status, "status");
  if (claims.length === 0) return [];
  const withEffect = !reports.hasRefused(record.kind);
  return differencesInWords(claims, words, computedStates(world, record, { ancestor: undefined, withEffect }), "");
}

function differencesInWords(
  claims: readonly Claim[],
  words: StatusWords,
  computed: ComputedStates | undefined,
  at: string,
): readonly CheckFinding[] {
  if (computed === undefined) return [];
  return claims
    .filter((claim) => differsInWords(claim, words, computed))
    .map((claim) =>
      findingAt(claim.object, {
        code: "StatusDiffers",
        severity: "warning",
        field: claim.field,
        message: `the status of ${formatRef(claim.object.ref)} has ${shown(claim)}${at === "" ? "" : ` (at ${at})`}; Prevail computes ${formatStates(computed, words)}: ${computed.message}${age(claim)}`,
        fix: FIX,
      }),
    );
}

/**
 * Implementations choose the ancestor
 *
 * A policy's ancestors are its targets and the objects above them. Which of these has the status is up to the implementation, so an entry
 * for one of them is not wrong. Nor is one for an object that is not in the input and may be above a target.
 * Gateway API, "PolicyAncestorStatus"
 */
function mayBeAncestor(world: World, record: PolicyRecord, ref: JsonObject): boolean {
  const claimed = claimedObject(world, record, ref);
  if (claimed === undefined) return false;
  return record.targets.attachments.some((target) => {
    const above = objectsAbove(world, target);
    if (above.has(claimed)) return true;
    if (world.objects.has(claimed)) return false;
    // A parent that is not in the input, or one of a route that is not in the input.
    return isChild(world, target.object) || [...above].some((id) => namesAbsent(world, id, claimed));
  });
}

/** The object that an entry names as ancestor. Undefined: its kind is not known, or it has no name. */
function claimedObject(world: World, { object }: PolicyRecord, ref: JsonObject): ObjectId | undefined {
  const group = textOr(ref, "group", GATEWAY_API);
  const kind = world.rulebook.findKind(group, textOr(ref, "kind", "Gateway"));
  const name = textOf(ownValue(ref, "name"));
  const namespace = kind?.scope === "Cluster" ? "" : textOr(ref, "namespace", object.ref.namespace);
  if (kind === undefined || !isPlainName(name) || (namespace !== "" && !isPlainName(namespace))) return undefined;
  return objectId({ group: kind.group, kind: kind.kind, namespace, name });
}

const isChild = ({ rulebook }: World, id: ObjectId): boolean => rulebook.isChildByRef(splitId(id).kind);

const namesAbsent = ({ links }: World, id: ObjectId, absent: ObjectId): boolean =>
  links.get(id)?.absentParents.some((ref) => objectId(ref) === absent) === true;

/** The ancestor with that section, else the ancestor without one: controllers differ in whether they name sections. */
function findAncestor(
  ancestors: readonly AncestorStatus[],
  ref: JsonObject,
  policy: KubeObject,
): AncestorStatus | undefined {
  const wanted = ownValue(ref, "sectionName") ?? "";
  const same = ancestors.filter(({ ancestorRef }) => isSameAncestor(ancestorRef, ref, policy));
  return same.find(({ ancestorRef }) => (ancestorRef.sectionName ?? "") === wanted) ?? same[0];
}

function isSameAncestor(
  { group, kind, namespace, name, sectionName }: AncestorStatus["ancestorRef"],
  ref: JsonObject,
  policy: KubeObject,
): boolean {
  const wanted = ownValue(ref, "sectionName") ?? "";
  return (
    group === textOr(ref, "group", GATEWAY_API) &&
    kind === textOr(ref, "kind", "Gateway") &&
    name === textOf(ownValue(ref, "name")) &&
    (namespace === undefined || namespace === textOr(ref, "namespace", policy.ref.namespace)) &&
    (wanted === "" || sectionName === undefined || wanted === sectionName)
  );
}

function differs({ status, reason }: Claim, ours: Condition): boolean {
  // Unknown: the controller has not processed the object yet.
  if (status !== "True" && status !== "False") return false;
  // The computed condition is Unknown: an object is not in the input.
  if (ours.status === "Unknown") return false;
  return status !== ours.status || (reason !== ours.reason && KNOWN_REASONS.has(reason));
}

function differing(claim: Claim, ours: Condition, at: string): CheckFinding {
  const { object, field } = claim;
  return findingAt(object, {
    code: "StatusDiffers",
    severity: "warning",
    field,
    message: `the status of ${formatRef(object.ref)} has ${shown(claim)} (at ${at}); Prevail computes ${shown(ours)}: ${ours.message}${age(claim)}`,
    fix: FIX,
  });
}

const unreached = (claim: Claim, at: string): CheckFinding =>
  findingAt(claim.object, {
    code: "StatusDiffers",
    severity: "warning",
    field: claim.field,
    message: `the status of ${formatRef(claim.object.ref)} has ${shown(claim)} at ${at}; Prevail computes no effect of the policy there${age(claim)}`,
    fix: FIX,
  });

const FIX =
  "If the files are newer than the status, wait for the controller. Otherwise files or status are incomplete, or the controller interprets the kind differently.";

const shown = ({ type, status, reason }: Pick<Claim, "type" | "status" | "reason">): string =>
  reason === "" ? `${type}=${status}` : `${type}=${status}/${reason}`;

function age({ object, observedGeneration }: Claim): string {
  const metadata = ownValue(object.raw, "metadata");
  const generation = isJsonObject(metadata) ? ownValue(metadata, "generation") : undefined;
  if (typeof generation !== "number" || typeof observedGeneration !== "number") return "";
  return observedGeneration < generation
    ? `. The condition is of generation ${observedGeneration}, the object is at generation ${generation}`
    : "";
}

function ofTarget(claim: Claim, reports: Reports): readonly CheckFinding[] {
  if (claim.status !== "True") return [];
  const [domain = ""] = claim.type.split("/", 1);
  const computed = reports
    .affected(claim.object.id, domain)
    .filter(({ conditions }) => conditions.some(({ type }) => type === claim.type));
  if (computed.some(({ location }) => mayBeAt(claim, location))) return [];
  const kind = (claim.type.split("/")[1] ?? "").replace(/Affected$/, "");
  return [
    findingAt(claim.object, {
      code: "StatusDiffers",
      severity: "warning",
      field: claim.field,
      message: `the status of ${formatRef(claim.object.ref)} has ${shown(claim)}; Prevail computes no ${kind} that takes effect on it${age(claim)}`,
      fix: FIX,
    }),
  ];
}

/** A condition of one listener or one parent is stale if only other listeners or parents have it. */
function mayBeAt({ object, field }: Claim, location: StatusLocation): boolean {
  const [, key = "", index = ""] = /^status\.(listeners|parents)\[(\d+)\]/.exec(field) ?? [];
  const [, entry] = [...(key === "" ? [] : entriesOf(object, key))].find(([at]) => String(at) === index) ?? [];
  switch (location.at) {
    case "Conditions":
    case "Annotations":
      return true;
    case "Listener":
      return key !== "listeners" || entry?.["name"] === location.name;
    case "Parent": {
      const claimed = entry === undefined ? undefined : ownValue(entry, "parentRef");
      return key !== "parents" || !isJsonObject(claimed) || isSameParent(claimed, location.parentRef, object);
    }
  }
}

const isSameParent = (a: JsonObject, b: JsonObject, { ref }: KubeObject): boolean =>
  textOr(a, "kind", "Gateway") === textOr(b, "kind", "Gateway") &&
  textOr(a, "name", "") === textOr(b, "name", "") &&
  textOr(a, "namespace", ref.namespace) === textOr(b, "namespace", ref.namespace) &&
  textOr(a, "sectionName", "") === textOr(b, "sectionName", "");

function nameOf(ref: JsonObject, policy: KubeObject): string {
  const kind = textOr(ref, "kind", "Gateway");
  const isCluster = kind === "Namespace" || kind === "GatewayClass";
  const namespace = isCluster ? "" : textOr(ref, "namespace", policy.ref.namespace);
  const section = textOf(ownValue(ref, "sectionName"));
  const name = textOf(ownValue(ref, "name"));
  return formatRef({ group: "", kind, namespace, name }, section === "" ? undefined : section);
}
