/** A certificate in PEM (RFC 7468): base64 of DER, which begins with a SEQUENCE. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----/g;
const BEGIN = "-----BEGIN CERTIFICATE-----";

/** True if the text has certificates in PEM, and each that begins in it is complete. */
export function hasCertificates(text: string): boolean {
  const found = [...text.matchAll(CERTIFICATE)].map(([, base64 = ""]) => base64.replaceAll(/\s/g, ""));
  return found.length > 0 && found.length === text.split(BEGIN).length - 1 && found.every(isSequence);
}

const isSequence = (base64: string): boolean => /^M[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0;
