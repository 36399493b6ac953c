/** Makes an authority and the certificates that it signs, on ECDSA P-256. */
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A certificate with its private key, both in PEM. */
export interface CertifiedKey {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface Validity {
  readonly nowMs: number;
  readonly days: number;
}

export interface CertificateRequest extends Validity {
  readonly commonName: string;
  readonly dnsNames?: readonly string[];
  readonly uriNames?: readonly string[];
  readonly usage: "Server" | "Client";
}

const KEYS = { name: "ECDSA", namedCurve: "P-256" };
const SIGNING = { name: "ECDSA", hash: "SHA-256" };
const DAY_MS = 86_400_000;
/** Clocks of two machines differ, so certificates are valid from so long before they are made. */
export const SKEW_MS: number = 5 * 60_000;

export async function makeAuthority({
  commonName,
  ...validity
}: Validity & { readonly commonName: string }): Promise<CertifiedKey> {
  const keys = await webcrypto.subtle.generateKey(KEYS, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    ...validityOf(validity),
    keys,
    signingAlgorithm: SIGNING,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), privateKey: await exportKey(keys.privateKey) };
}

export async function signCertificate(authority: CertifiedKey, request: CertificateRequest): Promise<CertifiedKey> {
  const { commonName, dnsNames = [], uriNames = [], usage, ...validity } = request;
  const names = [
    ...dnsNames.map((value) => ({ type: "dns" as const, value })),
    ...uriNames.map((value) => ({ type: "url" as const, value })),
  ];
  const issuer = new X509Certificate(authority.certificate);
  const keys = await webcrypto.subtle.generateKey(KEYS, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [commonName] }],
    issuer: issuer.subject,
    ...validityOf(validity),
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.privateKey),
    signingAlgorithm: SIGNING,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([usage === "Server" ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth]),
      await AuthorityKeyIdentifierExtension.create(issuer),
      ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
    ],
  });
  return { certificate: certificate.toString("pem"), privateKey: await exportKey(keys.privateKey) };
}

const validityOf = ({ nowMs, days }: Validity): { readonly notBefore: Date; readonly notAfter: Date } => ({
  notBefore: new Date(nowMs - SKEW_MS),
  notAfter: new Date(nowMs + days * DAY_MS),
});

/** 16 random bytes. The first is neither negative nor zero. */
function serialNumber(): string {
  const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}

const exportKey = async (key: webcrypto.CryptoKey): Promise<string> =>
  `${PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [bytes] = PemConverter.decode(pem);
  if (bytes === undefined) throw new Error("the key of the authority is not in PEM");
  return webcrypto.subtle.importKey("pkcs8", bytes, KEYS, false, ["sign"]);
}
