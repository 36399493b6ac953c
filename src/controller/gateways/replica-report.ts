/** The report of a replica to the others about the Envoys that are connected to it, as annotations of its Lease. */
import { isJsonObject, type JsonObject, objectAt, objectsIn, ownValue } from "../../core/model/json.ts";
import type { GatewayEdition } from "./gateway-editions.ts";

/** A part of the configuration that an Envoy has refused. */
export interface EnvoyRefusal {
  readonly type: string;
  readonly name: string;
  readonly reason: string;
}

/** The report of one replica about the Envoys of a Gateway. */
export interface ReplicaGateway {
  /** The edition that the replica serves. */
  readonly edition: GatewayEdition;
  /** True if one of its Envoys has acknowledged this edition. */
  readonly isAcknowledged: boolean;
  readonly refusals: readonly EnvoyRefusal[];
}

/** By `namespace/name`. A Gateway without a connected Envoy is not there. */
export type ReplicaReport = ReadonlyMap<string, ReplicaGateway>;

/**
 * The edition that is acknowledged, by Gateway; an empty text: an Envoy is connected, and has not acknowledged yet; with a mark at its end: an Envoy refuses a
 * part, and there is no room to say which.
 */
const ACKNOWLEDGED = "prevail.dev/acknowledged";
/** The edition, and what Envoys refuse of it, by Gateway. */
const REFUSED = "prevail.dev/refused";
/** The number of Gateways that did not fit. Absent: none. */
const LEFT_OUT = "prevail.dev/left-out";

const REFUSED_MARK = "!";
const UNKNOWN_REFUSAL: EnvoyRefusal = {
  type: "a part",
  name: "of the configuration",
  reason: "the replica that it is connected to knows which, and has no room to report it",
};

/** The API server accepts annotations of 256 KiB in all, with their keys. */
const MOST_BYTES = 192 * 1024;
const MOST_REFUSED_BYTES = 60 * 1024;
const MOST_REFUSED_GATEWAYS = 50;
const MOST_REFUSALS = 3;
const MOST_REASON = 300;

/** The report of another replica. */
export interface HeardReport {
  readonly gateways: ReplicaReport;
  /** False: there are Gateways with connected Envoys that did not fit into it. */
  readonly isWhole: boolean;
}

export interface FormattedReport {
  readonly annotations: Readonly<Record<string, string>>;
  /** The number of Gateways that did not fit. */
  readonly leftOut: number;
}

/** Equal reports give equal texts. */
export function formatReplicaReport(report: ReplicaReport): FormattedReport {
  const acknowledged: Record<string, string> = {};
  const refused: Record<string, JsonObject> = {};
  let [bytes, refusedBytes, leftOut, refusedGateways] = [0, 0, 0, 0];
  for (const [gateway, { edition, isAcknowledged, refusals }] of [...report].sort(([a], [b]) => (a < b ? -1 : 1))) {
    bytes += gateway.length + edition.length + 7;
    if (bytes > MOST_BYTES) leftOut++;
    else acknowledged[gateway] = isAcknowledged ? edition : "";
    if (refusals.length === 0) continue;
    const entry = { edition, refusals: refusals.slice(0, MOST_REFUSALS).map(shorten) };
    refusedBytes += Buffer.byteLength(JSON.stringify({ [gateway]: entry }));
    if (++refusedGateways <= MOST_REFUSED_GATEWAYS && refusedBytes <= MOST_REFUSED_BYTES) refused[gateway] = entry;
    else if (bytes <= MOST_BYTES) acknowledged[gateway] = `${edition}${REFUSED_MARK}`;
  }
  const annotations = {
    [ACKNOWLEDGED]: JSON.stringify(acknowledged),
    [REFUSED]: JSON.stringify(refused),
    ...(leftOut === 0 ? {} : { [LEFT_OUT]: String(leftOut) }),
  };
  return { annotations, leftOut };
}

const shorten = ({ type, name, reason }: EnvoyRefusal): JsonObject => ({
  type,
  name,
  reason: reason.slice(0, MOST_REASON),
});

/** Annotations that cannot be read count as absent. */
export function parseReplicaReport(lease: JsonObject): HeardReport {
  const annotations = objectAt(objectAt(lease, "metadata"), "annotations");
  const refused = parseObject(annotations[REFUSED]);
  const report = new Map<string, ReplicaGateway>();
  for (const [gateway, edition] of Object.entries(parseObject(annotations[ACKNOWLEDGED]))) {
    if (typeof edition !== "string") continue;
    const isRefused = edition.endsWith(REFUSED_MARK);
    report.set(gateway, {
      edition: (isRefused ? edition.slice(0, -REFUSED_MARK.length) : edition) as GatewayEdition,
      isAcknowledged: edition !== "" && !isRefused,
      refusals: isRefused ? [UNKNOWN_REFUSAL] : [],
    });
  }
  for (const [gateway, value] of Object.entries(refused)) {
    if (!isJsonObject(value)) continue;
    const edition = textAt(value, "edition") as GatewayEdition;
    const refusals = objectsIn(ownValue(value, "refusals")).map((one) => ({
      type: textAt(one, "type"),
      name: textAt(one, "name"),
      reason: textAt(one, "reason"),
    }));
    report.set(gateway, { edition, isAcknowledged: report.get(gateway)?.isAcknowledged === true, refusals });
  }
  return { gateways: report, isWhole: ownValue(annotations, LEFT_OUT) === undefined };
}

function parseObject(text: unknown): JsonObject {
  if (typeof text !== "string") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function textAt(object: JsonObject, key: string): string {
  const text = ownValue(object, key);
  return typeof text === "string" ? text : "";
}
