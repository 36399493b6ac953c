/** Hides key material that Envoy would reject, because a rejected secret blocks every resource that waits for it. */
import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { EnvoySecrets, Pem } from "../compile/envoy-secrets.ts";

/** Caches its results, because the same secrets are requested at every change. */
export function createSecretFilter(): (source: EnvoySecrets) => EnvoySecrets {
  const known = new Map<string, boolean>();
  const isValid = (key: string, check: () => void): boolean => {
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
        return isValid(`${cert}\n${key}`, () => createSecureContext({ cert, key })) ? found : undefined;
      },
      findAuthorities: (configMaps) => {
        const found = source.findAuthorities(configMaps);
        const text = found === undefined ? undefined : textOf(found);
        if (text === undefined) return found;
        return isValid(text, () => readCertificates(text)) ? found : undefined;
      },
    };
  };
}

/** The maximum size of the cache. */
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
