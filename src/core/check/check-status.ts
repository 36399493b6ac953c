/** What controllers claim in `status`, where it differs from what follows from the objects themselves. */
import type { World } from "../effective/world/world.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { displayRef, type ObjectId } from "../model/refs.ts";
import type { AncestorStatus, Condition, PolicyStatus, StatusReport } from "../status/status-report.ts";
import { statusReportOf } from "../status/status-report-of.ts";
import { type CheckFinding, findingAt } from "./check-finding.ts";

/** One condition as found, and where. */
interface Claim {
  readonly object: KubeObject;
  readonly field: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly observedGeneration: Json | undefined;
}

/** Reasons that mean the same everywhere (GEP-713); a vendor's own words are not compared. */
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
]);

export function checkStatus(world: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const reports = new Reports(world);
  world.policies.forEach(({ object }) => {
    for (const [index, entry] of entriesOf(object, "ancestors"))
      findings.push(...ofAncestor(object, entry, index, reports));
  });
  const types = new Set(world.rulebook.kinds.map(({ policyKind }) => `${policyKind.kind}Affected`));
  world.objects.byId.forEach((object) => {
    for (const claim of affectedClaims(object, types)) findings.push(...ofTarget(claim, reports));
  });
  let isCrowded = false;
  world.tallies.forEach((tally) => {
    isCrowded ||= tally.size > MAX_ANCESTORS;
  });
  return isCrowded ? [...findings, ...reports.leftOut()] : findings;
}

/** What status should say, computed only for files that have one. */
class Reports {
  readonly #world: World;
  readonly #affected: Map<string, ReadonlyMap<ObjectId, ReadonlySet<string>>> = new Map();
  #report: StatusReport | undefined;
  #policies: ReadonlyMap<ObjectId, PolicyStatus> | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** Whoever wrote it: entries are compared by what they say. */
  of(policy: ObjectId): PolicyStatus | undefined {
    this.#policies ??= new Map(this.#whole().policies.map((own) => [own.policy, own]));
    return this.#policies.get(policy);
  }

  /** About policies with more ancestors than their status has room for. */
  leftOut(): readonly CheckFinding[] {
    return this.#whole().findings;
  }

  #whole(): StatusReport {
    this.#report ??= statusReportOf(this.#world, { controllerName: "prevail.dev/check" });
    return this.#report;
  }

  /** The types of the conditions that the target should have; the controller's domain is part of them. */
  affected(target: ObjectId, domain: string): ReadonlySet<string> {
    let known = this.#affected.get(domain);
    if (known === undefined) {
      const types = new Map<ObjectId, Set<string>>();
      for (const { object, conditions } of statusReportOf(this.#world, { controllerName: `${domain}/check` }).targets) {
        const own = types.get(object) ?? new Set();
        types.set(object, own);
        for (const { type } of conditions) own.add(type);
      }
      known = types;
      if (this.#affected.size < MOST_DOMAINS) this.#affected.set(domain, known);
    }
    return known.get(target) ?? NO_TYPES;
  }
}

const MOST_DOMAINS = 16;
const NO_TYPES: ReadonlySet<string> = new Set();

function ofAncestor(object: KubeObject, entry: JsonObject, index: number, reports: Reports): readonly CheckFinding[] {
  const controllerName = text(ownValue(entry, "controllerName"));
  const ref = ownValue(entry, "ancestorRef");
  if (!isJsonObject(ref)) return [];
  const status = reports.of(object.id);
  if (status === undefined) return [];
  const computed = findAncestor(status.ancestors, ref, object);
  const at = `${nameOf(ref, object)}${controllerName === "" ? "" : `, by ${controllerName}`}`;
  return claimsIn(object, entry, `status.ancestors[${index}]`).flatMap((claim) => {
    const ours = computed?.conditions.find(({ type }) => type === claim.type);
    if (ours !== undefined) return differs(claim, ours) ? [differing(claim, ours, at)] : [];
    if (computed !== undefined || claim.type !== "Accepted" || claim.status !== "True") return [];
    // The list has room for sixteen: what is not in it may still be so.
    return status.ancestors.length < MAX_ANCESTORS ? [unreached(claim, at)] : [];
  });
}

const MAX_ANCESTORS = 16;

/** The very section that is claimed, else what is said of the object: controllers may name more or less of it than we do. */
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
    name === text(ownValue(ref, "name")) &&
    (namespace === undefined || namespace === textOr(ref, "namespace", policy.ref.namespace)) &&
    (wanted === "" || sectionName === undefined || wanted === sectionName)
  );
}

function differs({ status, reason }: Claim, ours: Condition): boolean {
  // Unknown says that the controller has not come to it yet.
  if (status !== "True" && status !== "False") return false;
  return status !== ours.status || (reason !== ours.reason && KNOWN_REASONS.has(reason));
}

function differing(claim: Claim, ours: Condition, at: string): CheckFinding {
  const { object, field } = claim;
  return findingAt(object, {
    code: "StatusDiffers",
    severity: "warning",
    field,
    message: `the status of ${displayRef(object.ref)} says ${shown(claim)} (at ${at}); by the files it is ${shown(ours)}: ${ours.message}${age(claim)}`,
    fix: MEND,
  });
}

const unreached = (claim: Claim, at: string): CheckFinding =>
  findingAt(claim.object, {
    code: "StatusDiffers",
    severity: "warning",
    field: claim.field,
    message: `the status of ${displayRef(claim.object.ref)} says ${shown(claim)} at ${at}; by the files the policy has nothing to do with that${age(claim)}`,
    fix: MEND,
  });

const MEND =
  "If the files are newer than the status, let the controller catch up; if not, one of the two does not show the whole cluster, or the controller means something else by this kind.";

const shown = ({ type, status, reason }: Pick<Claim, "type" | "status" | "reason">): string =>
  reason === "" ? `${type}=${status}` : `${type}=${status}/${reason}`;

function age({ object, observedGeneration }: Claim): string {
  const metadata = ownValue(object.raw, "metadata");
  const generation = isJsonObject(metadata) ? ownValue(metadata, "generation") : undefined;
  if (typeof generation !== "number" || typeof observedGeneration !== "number") return "";
  return observedGeneration < generation
    ? `. It is about generation ${observedGeneration}, and the object is at ${generation}`
    : "";
}

/** `gateway.example.com/RetryPolicyAffected=True`, of policy kinds that are known here. */
function* affectedClaims(object: KubeObject, types: ReadonlySet<string>): Generator<Claim> {
  const status = ownValue(object.raw, "status");
  if (!isJsonObject(status)) return;
  const holders: (readonly [JsonObject, string])[] = [[status, "status"]];
  for (const key of ["listeners", "parents"])
    for (const [index, entry] of entriesOf(object, key)) holders.push([entry, `status.${key}[${index}]`]);
  for (const [holder, field] of holders)
    for (const claim of claimsIn(object, holder, field)) if (types.has(claim.type.split("/")[1] ?? "")) yield claim;
}

function ofTarget(claim: Claim, reports: Reports): readonly CheckFinding[] {
  if (claim.status !== "True") return [];
  const [domain = ""] = claim.type.split("/", 1);
  if (reports.affected(claim.object.id, domain).has(claim.type)) return [];
  const kind = (claim.type.split("/")[1] ?? "").replace(/Affected$/, "");
  return [
    findingAt(claim.object, {
      code: "StatusDiffers",
      severity: "warning",
      field: claim.field,
      message: `the status of ${displayRef(claim.object.ref)} says ${shown(claim)}; by the files no ${kind} prevails on it${age(claim)}`,
      fix: MEND,
    }),
  ];
}

function* entriesOf({ raw }: KubeObject, key: string): Generator<readonly [number, JsonObject]> {
  const status = ownValue(raw, "status");
  const list = isJsonObject(status) ? ownValue(status, key) : undefined;
  for (const [index, item] of isJsonList(list) ? list.entries() : []) if (isJsonObject(item)) yield [index, item];
}

function claimsIn(object: KubeObject, holder: JsonObject, field: string): readonly Claim[] {
  const list = ownValue(holder, "conditions");
  const claims: Claim[] = [];
  for (const [index, item] of isJsonList(list) ? list.entries() : []) {
    if (!isJsonObject(item)) continue;
    claims.push({
      object,
      field: `${field}.conditions[${index}]`,
      type: text(ownValue(item, "type")),
      status: text(ownValue(item, "status")),
      reason: text(ownValue(item, "reason")),
      observedGeneration: ownValue(item, "observedGeneration"),
    });
  }
  return claims;
}

/** Status is written by others: whatever is not a text is left out. */
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const textOr = (ref: JsonObject, key: string, byDefault: string): string => {
  const value = ownValue(ref, key);
  return typeof value === "string" ? value : byDefault;
};

function nameOf(ref: JsonObject, policy: KubeObject): string {
  const kind = textOr(ref, "kind", "Gateway");
  const isCluster = kind === "Namespace" || kind === "GatewayClass";
  const namespace = isCluster ? "" : textOr(ref, "namespace", policy.ref.namespace);
  const section = text(ownValue(ref, "sectionName"));
  const name = text(ownValue(ref, "name"));
  return displayRef({ group: "", kind, namespace, name }, section === "" ? undefined : section);
}
