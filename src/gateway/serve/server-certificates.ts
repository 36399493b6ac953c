/** Selects the certificate for a TLS server name. */
import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { ListenerConfig, PortConfig } from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { formatRef } from "../../core/model/refs.ts";
import { buildHostIndex } from "../../core/routing/host-index.ts";
import type { SecretSource, ServerCertificate } from "../contract/secret-source.ts";

export interface ServerCertificates {
  /** Undefined: no listener matches the name, or the listener has no certificate. */
  readonly find: (serverName: string) => SecureContext | undefined;
  /** For clients that send no server name: the certificate of the listener without a hostname. */
  readonly unnamed: ServerCertificate | undefined;
  readonly problems: readonly { readonly listener: string; readonly message: string }[];
}

/** A certificate that was parsed successfully. */
interface Usable {
  readonly certificate: ServerCertificate;
  readonly context: SecureContext;
  readonly parsed: X509Certificate;
}

type Read =
  | { readonly state: "usable"; readonly usable: Usable }
  | { readonly state: "unusable"; readonly reason: string };

/** Parsed certificates by their text: those of the previous configuration and those of this one. Parsing is slow. */
export interface CertificateCache {
  readonly before: ReadonlyMap<string, Read>;
  readonly now: Map<string, Read>;
}

export function readServerCertificates(
  { listeners }: PortConfig,
  secrets: SecretSource,
  cache: CertificateCache,
): ServerCertificates {
  const problems: { listener: string; message: string }[] = [];
  const usable = new Map<ListenerConfig, readonly Usable[]>();
  for (const listener of listeners) usable.set(listener, readListener(listener, secrets, cache, problems));
  const hosts = buildHostIndex(listeners);
  const find = (serverName: string): Usable | undefined => {
    const listener = hosts.find(serverName, (one) => one);
    const ofListener = (listener && usable.get(listener)) ?? [];
    return ofListener.find(({ parsed }) => parsed.checkHost(serverName) !== undefined) ?? ofListener[0];
  };
  return {
    find: (serverName) => find(serverName.toLowerCase())?.context,
    unnamed: find("")?.certificate,
    problems,
  };
}

function readListener(
  { name, certificates }: ListenerConfig,
  secrets: SecretSource,
  cache: CertificateCache,
  problems: { listener: string; message: string }[],
): readonly Usable[] {
  const usable: Usable[] = [];
  for (const ref of certificates) {
    const certificate = secrets.findCertificate(ref);
    if (certificate === undefined) {
      problems.push({ listener: name, message: `${formatRef(ref)} does not exist, or has no tls.crt and tls.key` });
      continue;
    }
    const text = `${certificate.chain}\n${certificate.privateKey}`;
    const read = remember(cache.now, text, () => cache.before.get(text) ?? readCertificate(certificate));
    if (read.state === "usable") usable.push(read.usable);
    else problems.push({ listener: name, message: `${formatRef(ref)} cannot be used: ${read.reason}` });
  }
  return usable;
}

function readCertificate(certificate: ServerCertificate): Read {
  try {
    const parsed = new X509Certificate(certificate.chain);
    const context = createSecureContext({
      cert: certificate.chain,
      key: certificate.privateKey,
      minVersion: "TLSv1.2",
    });
    return { state: "usable", usable: { certificate, context, parsed } };
  } catch (error) {
    return { state: "unusable", reason: error instanceof Error ? error.message : "it is malformed" };
  }
}
