import { createPrivateKey, X509Certificate } from "node:crypto";

export interface CertificateFacts {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** True if the certificate is for this DNS name. */
  readonly isFor: (name: string) => boolean;
  /** True if it has this URI name. */
  readonly hasUri: (name: string) => boolean;
  /** True if this certificate, in PEM, signed it. */
  readonly isSignedBy: (authority: string) => boolean;
  /** True if this private key, in PEM, belongs to it. */
  readonly hasKey: (privateKey: string) => boolean;
}

/** Reads the first certificate of a PEM text. Undefined if there is none. */
export function readCertificate(pem: string): CertificateFacts | undefined {
  const certificate = parse(pem);
  if (certificate === undefined) return undefined;
  return {
    notBeforeMs: Date.parse(certificate.validFrom),
    notAfterMs: Date.parse(certificate.validTo),
    isFor: (name) => certificate.checkHost(name, { subject: "never" }) !== undefined,
    hasUri: (name) => (certificate.subjectAltName ?? "").split(", ").includes(`URI:${name}`),
    isSignedBy: (authority) => {
      const signer = parse(authority);
      return signer !== undefined && certificate.checkIssued(signer) && certificate.verify(signer.publicKey);
    },
    hasKey: (privateKey) => {
      try {
        return certificate.checkPrivateKey(createPrivateKey(privateKey));
      } catch {
        return false;
      }
    },
  };
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
