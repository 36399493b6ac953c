/** Certificates that the controller makes itself and keeps in a Secret, so that all replicas have the same. */

import {
  type CertifiedKey,
  makeAuthority,
  SKEW_MS,
  signCertificate,
} from "../../adapters/certificates/make-certificates.ts";
import { readCertificate } from "../../adapters/certificates/read-certificate.ts";
import { ApiError } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { createObject, getObject, updateObject } from "../../adapters/cluster/client/object-requests.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../core/model/json.ts";

export interface CertificateSecret {
  readonly namespace: string;
  readonly name: string;
}

export interface OwnCertificates {
  /** The authorities that clients must trust, in PEM: the current one, and the one before it until it expires. */
  readonly authorities: string;
  /** The current authority, with its key. */
  readonly authority: CertifiedKey;
  readonly serving: CertifiedKey;
  /** When all clients have seen the authority of the certificate: later than now only after a change of the authority. */
  readonly trustedFromMs: number;
  /** Absent if the Secret was valid as it was. */
  readonly made?: "Serving" | "Authority";
}

export interface OwnCertificateOptions {
  readonly client: KubeClient;
  readonly secret: CertificateSecret;
  /** How long it takes clients to see a new authority. */
  readonly trustMs?: number;
  /** The names that the certificate is for; the first is its common name. */
  readonly dnsNames: readonly [string, ...string[]];
  readonly nowMs: number;
}

/** The authority is replaced after nine of ten years, the certificate after 60 of 90 days. */
const AUTHORITY = { days: 3650, leftDays: 365 };
const SERVING = { days: 90, leftDays: 30 };
const DAY_MS = 86_400_000;
/** Authorities before the current one. An operator may ask for a new one again before all replicas have a certificate of the last. */
const KEPT_AUTHORITIES = 3;
/** Replicas that start together may write at the same time. One of them wins, and the others read what it wrote. */
const MAX_ATTEMPTS = 8;

/** Reads the Secret, and makes what is missing, invalid or near its end. */
export async function ensureCertificates(options: OwnCertificateOptions): Promise<OwnCertificates> {
  for (let attempt = 1; ; attempt++) {
    const secret = await getObject(options.client, SECRETS, options.secret);
    const stored = secret === undefined ? undefined : storedIn(secret);
    const renewed = await renew(stored, options);
    const known = { ...renewed, trustedFromMs: trustedFrom(renewed, options.trustMs ?? TRUST_MS) };
    if (renewed.made === undefined) return known;
    try {
      await writeSecret(options, secret, renewed);
      return known;
    } catch (error) {
      const isRace = error instanceof ApiError && error.status === 409;
      if (!isRace || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** The content of the Secret, in PEM. */
interface Stored {
  readonly authorities: string;
  readonly authorityKey: string;
  readonly certificate: string;
  readonly privateKey: string;
}

type Renewed = Omit<OwnCertificates, "trustedFromMs">;

/** API servers watch the objects that have the authority, so seconds are enough. */
const TRUST_MS = 30_000;

/** Where there was another authority before, clients may not know the new one yet. The first one replaces nothing that works. */
function trustedFrom({ authorities, serving }: Renewed, trustMs: number): number {
  const facts = certificatesIn(authorities).length > 1 ? readCertificate(serving.certificate) : undefined;
  return facts === undefined ? 0 : facts.notBeforeMs + SKEW_MS + trustMs;
}

async function renew(stored: Stored | undefined, { dnsNames, nowMs }: OwnCertificateOptions): Promise<Renewed> {
  const current = stored === undefined ? undefined : firstCertificate(stored.authorities);
  const isGood = stored !== undefined && current !== undefined && isGoodFor(current, AUTHORITY.leftDays, nowMs);
  const hasKey = isGood && readCertificate(current)?.hasKey(stored.authorityKey) === true;
  if (!hasKey) {
    const authority = await makeAuthority({ commonName: "prevail", nowMs, days: AUTHORITY.days });
    // Clients trust the certificates of the last authorities until all replicas have new ones.
    const last = certificatesIn(stored?.authorities ?? "").filter((one) => isGoodFor(one, 0, nowMs));
    const authorities = joinPem([authority.certificate, ...last.slice(0, KEPT_AUTHORITIES)]);
    return {
      ...(await sign(authority, dnsNames, nowMs)),
      authority,
      authorities,
      made: "Authority",
    };
  }
  const { authorities, authorityKey, certificate, privateKey } = stored;
  const serving = readCertificate(certificate);
  const isServable =
    serving !== undefined &&
    isGoodFor(certificate, SERVING.leftDays, nowMs) &&
    serving.isSignedBy(current) &&
    serving.hasKey(privateKey) &&
    dnsNames.every((name) => serving.isFor(name));
  const authority = { certificate: current, privateKey: authorityKey };
  if (isServable) return { authorities, authority, serving: { certificate, privateKey } };
  return { ...(await sign(authority, dnsNames, nowMs)), authorities, authority, made: "Serving" };
}

async function sign(
  authority: CertifiedKey,
  dnsNames: OwnCertificateOptions["dnsNames"],
  nowMs: number,
): Promise<Pick<OwnCertificates, "serving">> {
  const [commonName] = dnsNames;
  return {
    serving: await signCertificate(authority, { commonName, dnsNames, usage: "Server", nowMs, days: SERVING.days }),
  };
}

function isGoodFor(pem: string, leftDays: number, nowMs: number): boolean {
  const facts = readCertificate(pem);
  return facts !== undefined && facts.notBeforeMs <= nowMs && nowMs + leftDays * DAY_MS < facts.notAfterMs;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

const certificatesIn = (bundle: string): readonly string[] => bundle.match(CERTIFICATE) ?? [];

const firstCertificate = (bundle: string): string | undefined => certificatesIn(bundle)[0];

const joinPem = (parts: readonly string[]): string =>
  parts
    .filter((part) => part !== "")
    .map((part) => `${part.trim()}\n`)
    .join("");

const SECRETS = { group: "", version: "v1", plural: "secrets" };

function storedIn(secret: JsonObject): Stored {
  const data = ownValue(secret, "data");
  const read = (key: string): string => {
    const value = isJsonObject(data) ? ownValue(data, key) : undefined;
    return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
  };
  return {
    authorities: read("ca.crt"),
    authorityKey: read("ca.key"),
    certificate: read("tls.crt"),
    privateKey: read("tls.key"),
  };
}

async function writeSecret(
  { client, secret: { namespace, name } }: OwnCertificateOptions,
  before: JsonObject | undefined,
  { authorities, authority, serving }: Renewed,
): Promise<void> {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const data = {
    "ca.crt": encode(authorities),
    "ca.key": encode(authority.privateKey),
    "tls.crt": encode(serving.certificate),
    "tls.key": encode(serving.privateKey),
  };
  if (before !== undefined) {
    // With its resourceVersion: if another replica was faster, this is refused.
    await updateObject(client, SECRETS, { ...before, data });
    return;
  }
  const metadata = { name, namespace, labels: { "app.kubernetes.io/managed-by": "prevail" } };
  await createObject(client, SECRETS, { apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/tls", data });
}
