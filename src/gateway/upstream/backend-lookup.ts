/** The endpoints and TLS settings of the backends of one configuration. */
import type {
  BackendConfig,
  BackendTlsConfig,
  DataplaneConfig,
  Endpoint,
  EndpointsId,
} from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { formatRef } from "../../core/model/refs.ts";
import type { SecretSource } from "../contract/secret-source.ts";
import type { UpstreamTls } from "../contract/upstream.ts";

/** A request uses the lookup of the configuration that it began with until it ends. */
export interface BackendLookup {
  readonly endpointsOf: (id: EndpointsId) => readonly Endpoint[];
  readonly tlsOf: (backend: BackendConfig) => TlsLookup;
}

export type TlsLookup =
  | { readonly state: "plain" }
  | { readonly state: "tls"; readonly tls: UpstreamTls }
  | { readonly state: "unusable"; readonly message: string };

const NO_ENDPOINTS: readonly Endpoint[] = [];
const PLAIN: TlsLookup = { state: "plain" };

export function createBackendLookup({ endpoints }: DataplaneConfig, secrets: SecretSource): BackendLookup {
  const known = new Map<BackendTlsConfig, TlsLookup>();
  return {
    endpointsOf: (id) => endpoints.get(id) ?? NO_ENDPOINTS,
    tlsOf: ({ tls }: BackendConfig) => {
      if (tls === undefined) return PLAIN;
      return remember(known, tls, () => readTls(tls, secrets));
    },
  };
}

function readTls({ hostname, subjectAltNames, authorities }: BackendTlsConfig, secrets: SecretSource): TlsLookup {
  const settings = { serverName: hostname, subjectAltNames };
  if (authorities === "System") return { state: "tls", tls: { ...settings, authorities: undefined } };
  const found = authorities.map((ref) => ({ ref, text: secrets.findAuthorities(ref) }));
  const missing = found.find(({ text }) => text === undefined);
  if (missing !== undefined) return { state: "unusable", message: `${formatRef(missing.ref)} has no ca.crt` };
  return { state: "tls", tls: { ...settings, authorities: found.map(({ text }) => text).join("\n") } };
}
