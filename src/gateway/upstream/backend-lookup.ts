/** The endpoints and TLS settings of the backends of one configuration. */
import { hash } from "node:crypto";
import { createSecureContext } from "node:tls";
import type {
  BackendConfig,
  BackendTlsConfig,
  DataplaneConfig,
  Endpoint,
  EndpointsId,
  GatewayConfig,
} from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { formatRef, type ObjectRef } from "../../core/model/refs.ts";
import type { SecretSource, TlsCertificate } from "../contract/secret-source.ts";
import type { UpstreamTls } from "../contract/upstream.ts";

/** A request uses the lookup of the configuration that it began with until it ends. */
export interface BackendLookup {
  readonly endpointsOf: (id: EndpointsId) => readonly Endpoint[];
  readonly tlsOf: (backend: BackendConfig) => TlsLookup;
  /** Why backends get no certificate of the gateway, although it should have one. Undefined: they do, or it has none. */
  readonly problem: string | undefined;
}

export type TlsLookup =
  | { readonly state: "plain" }
  | { readonly state: "tls"; readonly tls: UpstreamTls }
  | { readonly state: "unusable"; readonly message: string };

const NO_ENDPOINTS: readonly Endpoint[] = [];
const PLAIN: TlsLookup = { state: "plain" };

/** For one gateway. */
export function createBackendLookup(
  { endpoints }: Pick<DataplaneConfig, "endpoints">,
  { clientCertificate }: Pick<GatewayConfig, "clientCertificate">,
  secrets: SecretSource,
): BackendLookup {
  const known = new Map<BackendTlsConfig, TlsLookup>();
  const own = clientCertificate === undefined ? undefined : readOwn(clientCertificate, secrets);
  const certificate = typeof own === "object" ? own : undefined;
  return {
    endpointsOf: (id) => endpoints.get(id) ?? NO_ENDPOINTS,
    tlsOf: ({ tls }: BackendConfig) => {
      if (tls === undefined) return PLAIN;
      return remember(known, tls, () => readTls(tls, certificate, secrets));
    },
    problem: typeof own === "string" ? own : undefined,
  };
}

/** A text is the reason why it cannot be used. */
function readOwn(secret: ObjectRef, secrets: SecretSource): TlsCertificate | string {
  const found = secrets.findCertificate(secret);
  if (found === undefined) return `${formatRef(secret)} does not exist, or has no tls.crt and tls.key`;
  try {
    createSecureContext({ cert: found.chain, key: found.privateKey });
    return found;
  } catch (error) {
    return `${formatRef(secret)} cannot be used: ${error instanceof Error ? error.message : "it is malformed"}`;
  }
}

function readTls(
  { hostname, subjectAltNames, authorities }: BackendTlsConfig,
  clientCertificate: TlsCertificate | undefined,
  secrets: SecretSource,
): TlsLookup {
  const settings = { serverName: hostname, subjectAltNames, clientCertificate };
  if (authorities === "System") return { state: "tls", tls: withKey({ ...settings, authorities: undefined }) };
  const found = authorities.map((ref) => ({ ref, text: secrets.findAuthorities(ref) }));
  const missing = found.find(({ text }) => text === undefined);
  if (missing !== undefined) return { state: "unusable", message: `${formatRef(missing.ref)} has no ca.crt` };
  return { state: "tls", tls: withKey({ ...settings, authorities: found.map(({ text }) => text).join("\n") }) };
}

const withKey = (settings: Omit<UpstreamTls, "key">): UpstreamTls => ({
  ...settings,
  key: hash("sha256", JSON.stringify(settings), "base64url"),
});
