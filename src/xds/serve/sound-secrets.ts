/** Key material that Envoy would refuse counts as absent: it would hold up everything that waits for it, and whatever comes after that. */
import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Pem, SecretSource } from "../compile/secret-source.ts";

/** Remembers what it has looked at, as the same is asked for at every change. */
export function createSecretCheck(): (source: SecretSource) => SecretSource {
  const known = new Map<string, boolean>();
  const isSound = (key: string, check: () => void): boolean => {
    const sound = known.get(key) ?? passes(check);
    if (known.size > MOST_KNOWN) known.clear();
    known.set(key, sound);
    return sound;
  };
  return (source) => {
    return {
      findCertificate: (secret) => {
        const found = source.findCertificate(secret);
        if (found === undefined) return undefined;
        const [cert, key] = [textOf(found.chain), textOf(found.privateKey)];
        if (cert === undefined || key === undefined) return found;
        return isSound(`${cert}\n${key}`, () => createSecureContext({ cert, key })) ? found : undefined;
      },
      findAuthorities: (configMaps) => {
        const found = source.findAuthorities(configMaps);
        const text = found === undefined ? undefined : textOf(found);
        if (text === undefined) return found;
        return isSound(text, () => readCertificates(text)) ? found : undefined;
      },
    };
  };
}

/** Certificates and bundles of one configuration; more would be looked at again. */
const MOST_KNOWN = 10_000;

const textOf = (pem: Pem): string | undefined => ("text" in pem ? pem.text : undefined);

function readCertificates(text: string): void {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("there is no certificate in it");
  for (const block of blocks) new X509Certificate(block);
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
