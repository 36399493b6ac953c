import type { KubeObject } from "../model/kube-object.ts";
import { formatRef } from "../model/refs.ts";
import type { Listener } from "./listeners-of.ts";

export interface OwnedListener {
  readonly owner: KubeObject;
  readonly listener: Listener;
}

export interface RefusedListener extends OwnedListener {
  readonly why: string;
  /** The reason of `Conflicted=True`. Absent: it is refused for another reason. */
  readonly reason?: "HostnameConflict" | "ProtocolConflict";
}

export interface DistinctListeners {
  readonly accepted: readonly OwnedListener[];
  readonly refused: readonly RefusedListener[];
}

/** A port that accepted listeners use. */
interface TakenPort {
  readonly family: string;
  readonly by: OwnedListener;
  readonly hosts: Map<string, OwnedListener>;
}

/**
 * Distinct listeners
 *
 * Two listeners of a Gateway and its ListenerSets are distinct if their ports differ, or if they share a port and a protocol
 * that names the host and their hostnames differ. The listener of the earlier owner is accepted; of indistinct listeners that remain
 * with the same owner none is. `owners` has the listeners of each owner, in the order of precedence.
 * Gateway API, "GatewaySpec.listeners"
 */
export function distinctListeners(owners: readonly (readonly OwnedListener[])[]): DistinctListeners {
  const taken = new Map<string, TakenPort>();
  const accepted: OwnedListener[] = [];
  const refused: RefusedListener[] = [];
  const refuse = (owned: OwnedListener, rival: OwnedListener): void => {
    refused.push({ ...owned, why: formatConflict(owned, rival), reason: conflictReason(owned, rival) });
  };
  for (const own of owners) {
    // A listener that an earlier owner's listener excludes does not exclude others of its own owner.
    const open = own.filter((owned) => {
      const rival = earlierRival(taken, owned);
      if (rival !== undefined) refuse(owned, rival);
      return rival === undefined;
    });
    const rivals = ownRivals(open);
    for (const owned of open) {
      const rival = rivals.get(owned);
      if (rival !== undefined) refuse(owned, rival);
    }
    for (const owned of open.filter((one) => !rivals.has(one))) {
      accepted.push(owned);
      take(taken, owned);
    }
  }
  return { accepted, refused };
}

/** Each listener that is indistinct from another listener of the same owner, with the first of those. */
function ownRivals(own: readonly OwnedListener[]): ReadonlyMap<OwnedListener, OwnedListener> {
  const rivals = new Map<OwnedListener, OwnedListener>();
  for (const one of own) {
    const rival = own.find((other) => other !== one && areIndistinct(one.listener, other.listener));
    if (rival !== undefined) rivals.set(one, rival);
  }
  return rivals;
}

function areIndistinct(a: Listener, b: Listener): boolean {
  if (portOf(a) === undefined || portOf(a) !== portOf(b)) return false;
  return familyOf(a) !== familyOf(b) || hostOf(a) === hostOf(b);
}

function earlierRival(taken: ReadonlyMap<string, TakenPort>, { listener }: OwnedListener): OwnedListener | undefined {
  const port = portOf(listener);
  const there = port === undefined ? undefined : taken.get(port);
  if (there === undefined) return undefined;
  return there.family === familyOf(listener) ? there.hosts.get(hostOf(listener)) : there.by;
}

function take(taken: Map<string, TakenPort>, owned: OwnedListener): void {
  const port = portOf(owned.listener);
  if (port === undefined) return;
  const there = taken.get(port) ?? { family: familyOf(owned.listener), by: owned, hosts: new Map() };
  taken.set(port, there);
  there.hosts.set(hostOf(owned.listener), owned);
}

/** UDP and TCP ports are different ports. Port 0 means a port that is chosen later. */
function portOf({ port, protocol }: Listener): string | undefined {
  if (port === undefined || port === 0) return undefined;
  return `${protocol === "UDP" ? "UDP" : "TCP"} ${port}`;
}

/** Protocols that can share a port: HTTPS and TLS both begin with a TLS handshake, which names the host. */
const familyOf = ({ protocol }: Listener): string => (protocol === "HTTPS" ? "TLS" : protocol);

/** TCP and UDP name no host, so hostnames do not make their listeners distinct. */
const namesHost = ({ protocol }: Listener): boolean => protocol !== "TCP" && protocol !== "UDP";

const hostOf = (listener: Listener): string => (namesHost(listener) ? (listener.hostname ?? "") : "");

const isSameFamily = (a: OwnedListener, b: OwnedListener): boolean => familyOf(a.listener) === familyOf(b.listener);

/** Two TCP listeners, and two UDP listeners, are in conflict as protocols, because no hostname could make them distinct (GEP-2644, GEP-2645). */
const conflictReason = (owned: OwnedListener, rival: OwnedListener): NonNullable<RefusedListener["reason"]> =>
  isSameFamily(owned, rival) && namesHost(owned.listener) ? "HostnameConflict" : "ProtocolConflict";

function formatConflict(owned: OwnedListener, rival: OwnedListener): string {
  const other = `listener ${rival.listener.name} of ${formatRef(rival.owner.ref)}`;
  if (isSameFamily(owned, rival) && !namesHost(owned.listener)) return `${other} has the same port`;
  return isSameFamily(owned, rival)
    ? `${other} has the same port, and the same hostname or none`
    : `${other} has the same port and protocol ${rival.listener.protocol}, not ${owned.listener.protocol}`;
}
