/** The address of each Gateway, where Envoys run already and share a machine. */
import { type JsonObject, objectAt, objectsIn, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { formatRef, type ObjectId } from "../model/refs.ts";

/** IPv4 addresses, the first and the last of a network apart. */
export interface AddressPool {
  /** The range as it is written, such as `127.1.0.0/24`. */
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

/** The longest prefix that leaves two addresses. */
const LONGEST_PREFIX = 30;
const SHORTEST_PREFIX = 8;

/** Undefined: it is not an IPv4 network of a size that can be used. */
export function parseAddressPool(text: string): AddressPool | undefined {
  const [address = "", digits = "", ...more] = text.split("/");
  const number = parseIpv4(address);
  const prefix = /^\d{1,2}$/.test(digits) ? Number(digits) : 0;
  if (number === undefined || more.length > 0 || prefix < SHORTEST_PREFIX || prefix > LONGEST_PREFIX) return undefined;
  const size = 2 ** (32 - prefix);
  const base = Math.floor(number / size) * size;
  return { text, first: base + 1, last: base + size - 2 };
}

function parseIpv4(text: string): number | undefined {
  const parts = text.split(".");
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return isAddress ? parts.reduce((sum, part) => sum * 256 + Number(part), 0) : undefined;
}

const formatIpv4 = (number: number): string =>
  [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join(".");

export type AssignedAddress = { readonly address: string } | { readonly problem: string };

/**
 * An address for each Gateway
 *
 * A Gateway that asks for an address gets that one, if the pool has it and no other Gateway does. Any other keeps the address that it was assigned before, or that
 * its status has, or gets the lowest one that is free. So a process that starts again assigns the same addresses, and an address does not move to a Gateway that
 * was created in the same second. The address of a Gateway that is gone is assigned again only when no other is free: Envoys close its listeners later.
 * Gateway API, "GatewaySpec.addresses"
 */
export function assignAddresses(
  gateways: readonly KubeObject[],
  pool: AddressPool,
  before: ReadonlyMap<ObjectId, AssignedAddress> = new Map(),
): ReadonlyMap<ObjectId, AssignedAddress> {
  const assigned = new Map<ObjectId, AssignedAddress>();
  const owners = new Map<number, KubeObject>();
  const inOrder = [...gateways].sort(byAge);
  const take = (gateway: KubeObject, number: number): void => {
    owners.set(number, gateway);
    assigned.set(gateway.id, { address: formatIpv4(number) });
  };
  for (const gateway of inOrder) {
    const asked = askedFor(gateway);
    const unusable = asked.map((text) => problemOf(text, pool, owners)).find((problem) => problem !== undefined);
    const [first] = asked;
    if (unusable !== undefined) assigned.set(gateway.id, { problem: unusable });
    else if (asked.length > 1) assigned.set(gateway.id, { problem: "spec.addresses has several; one is supported" });
    else if (first !== undefined) take(gateway, parseIpv4(first) ?? pool.first);
  }
  for (const heldBy of [addressIn(before), addressInStatus]) {
    for (const gateway of inOrder) {
      const held = assigned.has(gateway.id) ? undefined : heldBy(gateway);
      if (held !== undefined && problemOf(held, pool, owners) === undefined)
        take(gateway, parseIpv4(held) ?? pool.first);
    }
  }
  const used = new Set(
    Array.from(before.values(), (known) => ("address" in known ? parseIpv4(known.address) : undefined)),
  );
  const fresh = freeAddresses(pool, (number) => owners.has(number) || used.has(number));
  const others = freeAddresses(pool, (number) => owners.has(number));
  for (const gateway of inOrder) {
    if (assigned.has(gateway.id)) continue;
    const number = fresh() ?? others();
    if (number !== undefined) take(gateway, number);
    else assigned.set(gateway.id, { problem: `every address of ${pool.text} is assigned to another Gateway` });
  }
  return assigned;
}

/** Each call returns the next address that is not taken, in order; undefined after the last. */
function freeAddresses({ first, last }: AddressPool, isTaken: (number: number) => boolean): () => number | undefined {
  let next = first;
  return () => {
    while (next <= last && isTaken(next)) next++;
    return next <= last ? next++ : undefined;
  };
}

/** Undefined: the address can be used. */
function problemOf(text: string, pool: AddressPool, owners: ReadonlyMap<number, KubeObject>): string | undefined {
  const number = parseIpv4(text);
  if (number === undefined || number < pool.first || number > pool.last)
    return `the address ${text} is not one of ${pool.text}`;
  const owner = owners.get(number);
  return owner === undefined ? undefined : `the address ${text} is that of ${formatRef(owner.ref)}`;
}

/** The addresses that a Gateway asks for. An entry without a value asks for any. */
const askedFor = ({ raw }: KubeObject): readonly string[] => valuesOf(objectAt(raw, "spec"));

const addressInStatus = ({ raw }: KubeObject): string | undefined => valuesOf(objectAt(raw, "status"))[0];

const addressIn =
  (before: ReadonlyMap<ObjectId, AssignedAddress>) =>
  ({ id }: KubeObject): string | undefined => {
    const known = before.get(id);
    return known !== undefined && "address" in known ? known.address : undefined;
  };

const valuesOf = (part: JsonObject): readonly string[] =>
  objectsIn(ownValue(part, "addresses")).flatMap(({ value }) =>
    typeof value === "string" && value !== "" ? [value] : [],
  );

function byAge(a: KubeObject, b: KubeObject): number {
  const [one, other] = [createdAt(a), createdAt(b)];
  if (one !== other) return one < other ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function createdAt({ raw }: KubeObject): string {
  const created = objectAt(raw, "metadata")["creationTimestamp"];
  return typeof created === "string" ? created : "";
}
