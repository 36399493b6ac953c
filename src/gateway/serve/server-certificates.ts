/** Selects the certificate for a TLS server name. */
import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { ListenerConfig, PortConfig } from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { hasCertificates } from "../../core/model/pem.ts";
import { formatRef } from "../../core/model/refs.ts";
import { buildHostIndex } from "../../core/routing/host-index.ts";
import type { SecretSource, TlsCertificate } from "../contract/secret-source.ts";

export interface ServerCertificates {
  /** Undefined: no listener matches the name, or the listener has no certificate. */
  readonly find: (serverName: string) => SecureContext | undefined;
  /** For clients that send no server name: the certificate of the listener without a hostname. */
  readonly unnamed: (TlsCertificate & { readonly authorities: string | undefined }) | undefined;
  readonly clients: ClientAdmission;
  readonly problems: readonly { readonly listener: string; readonly message: string }[];
}

/** The clients that the HTTPS listeners of a port admit. They all validate clients in the same way (`core/topology/frontend-tls.ts`). */
interface ClientAdmission {
  /** Undefined: every client, without a certificate. */
  readonly mode: NonNullable<ListenerConfig["clients"]>["mode"] | undefined;
  /** Differs if clients are validated in another way. */
  readonly key: string;
}

/** A certificate that was parsed successfully. */
interface Usable {
  readonly certificate: TlsCertificate;
  /** CA certificates for those of clients, in PEM. Undefined: they are not validated. */
  readonly authorities: string | undefined;
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
    unnamed: unnamedOf(find("")),
    clients: admissionOf(listeners, secrets),
    problems,
  };
}

function admissionOf(listeners: readonly ListenerConfig[], secrets: SecretSource): ClientAdmission {
  const clients = listeners.find((listener) => listener.clients !== undefined)?.clients;
  if (clients === undefined) return { mode: undefined, key: "" };
  return { mode: clients.mode, key: `${clients.mode} ${readAuthorities(clients, secrets) ?? ""}` };
}

const unnamedOf = (usable: Usable | undefined): ServerCertificates["unnamed"] =>
  usable === undefined ? undefined : { ...usable.certificate, authorities: usable.authorities };

/** Empty: no connection can be made, because without the CA certificates every client would be admitted. */
function readListener(
  { name, certificates, clients }: ListenerConfig,
  secrets: SecretSource,
  cache: CertificateCache,
  problems: { listener: string; message: string }[],
): readonly Usable[] {
  const usable: Usable[] = [];
  const authorities = readAuthorities(clients, secrets);
  if (clients !== undefined && authorities === undefined) {
    const names = clients.authorities.map((ref) => formatRef(ref)).join(", ");
    problems.push({ listener: name, message: `${names} has no certificate in ca.crt, so clients cannot be validated` });
    return usable;
  }
  for (const ref of certificates) {
    const certificate = secrets.findCertificate(ref);
    if (certificate === undefined) {
      problems.push({ listener: name, message: `${formatRef(ref)} does not exist, or has no tls.crt and tls.key` });
      continue;
    }
    const text = `${certificate.chain}\n${certificate.privateKey}\n${authorities ?? ""}`;
    const read = remember(cache.now, text, () => cache.before.get(text) ?? readCertificate(certificate, authorities));
    if (read.state === "usable") usable.push(read.usable);
    else problems.push({ listener: name, message: `${formatRef(ref)} cannot be used: ${read.reason}` });
  }
  return usable;
}

/** Undefined: there are none. */
function readAuthorities(clients: ListenerConfig["clients"], secrets: SecretSource): string | undefined {
  const found = (clients?.authorities ?? [])
    .flatMap((ref) => secrets.findAuthorities(ref) ?? [])
    .filter(hasCertificates);
  return found.length === 0 ? undefined : found.join("\n");
}

function readCertificate(certificate: TlsCertificate, authorities: string | undefined): Read {
  try {
    const parsed = new X509Certificate(certificate.chain);
    const context = createSecureContext({
      cert: certificate.chain,
      key: certificate.privateKey,
      minVersion: "TLSv1.2",
      ...(authorities === undefined ? {} : { ca: authorities }),
    });
    return { state: "usable", usable: { certificate, authorities, context, parsed } };
  } catch (error) {
    return { state: "unusable", reason: error instanceof Error ? error.message : "it is malformed" };
  }
}
