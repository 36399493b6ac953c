/** The certificates by which Envoys identify themselves to the xDS server. */
import { type CertifiedKey, signCertificate } from "../../adapters/certificates/make-certificates.ts";
import { readCertificate } from "../../adapters/certificates/read-certificate.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../core/model/json.ts";

/** The authority that signs the certificates of Envoys. */
export interface ClientAuthority {
  readonly key: CertifiedKey;
  /** The authorities that Envoys trust, in PEM. */
  readonly authorities: string;
}

export interface ClientCertificateOptions {
  readonly commonName: string;
  /** The URI names of the certificate: the rights that it gives. */
  readonly uriNames: readonly string[];
  readonly nowMs: number;
}

/** Renewed after 60 of 90 days. */
const LIFE = { days: 90, leftDays: 30 };
const DAY_MS = 86_400_000;

/** The data of a Secret of type kubernetes.io/tls: that of the Secret which exists if it is good, else with a new certificate. */
export async function clientSecretData(
  existing: JsonObject | undefined,
  { key, authorities }: ClientAuthority,
  { commonName, uriNames, nowMs }: ClientCertificateOptions,
): Promise<JsonObject> {
  const stored = storedIn(existing);
  const facts = readCertificate(stored.certificate);
  const isGood =
    facts !== undefined &&
    facts.notBeforeMs <= nowMs &&
    nowMs + LIFE.leftDays * DAY_MS < facts.notAfterMs &&
    facts.isSignedBy(key.certificate) &&
    facts.hasKey(stored.privateKey) &&
    uriNames.every((name) => facts.hasUri(name));
  const used = isGood
    ? stored
    : await signCertificate(key, { commonName, uriNames, usage: "Client", nowMs, days: LIFE.days });
  return {
    "tls.crt": encode(used.certificate),
    "tls.key": encode(used.privateKey),
    "ca.crt": encode(authorities),
  };
}

function storedIn(secret: JsonObject | undefined): CertifiedKey {
  const data = secret === undefined ? undefined : ownValue(secret, "data");
  const read = (name: string): string => {
    const value = isJsonObject(data) ? ownValue(data, name) : undefined;
    return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
  };
  return { certificate: read("tls.crt"), privateKey: read("tls.key") };
}

const encode = (text: string): string => Buffer.from(text).toString("base64");
