/** Compiles the certificates of listeners and the CA certificates of backends. */
import type { BackendConfig, BackendTlsConfig, GatewayConfig } from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import type { DataSourceSchema } from "../gen/envoy/config/core/v3/base_pb.ts";
import { type Secret, SecretSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { create, type Init } from "../protobuf.ts";
import type { EnvoySecrets, Pem } from "./envoy-secrets.ts";
import { authoritiesName, certificateName } from "./resource-names.ts";

export function compileSecrets(
  { ports, clientCertificate }: GatewayConfig,
  backends: Iterable<BackendConfig>,
  source: EnvoySecrets,
): ReadonlyMap<string, Secret> {
  const secrets = new Map<string, Secret>();
  const add = (secret: Secret | undefined): void => {
    if (secret !== undefined) secrets.set(secret.name, secret);
  };
  for (const ref of ports.flatMap(({ listeners }) => listeners.flatMap(({ certificates }) => certificates))) {
    add(certificateSecret(ref, source));
  }
  for (const { clients } of ports.flatMap(({ listeners }) => listeners)) {
    if (clients !== undefined) add(authoritySecret(clients.authorities, source));
  }
  if (clientCertificate !== undefined) add(certificateSecret(clientCertificate, source));
  for (const { tls } of backends) {
    if (tls !== undefined && tls.authorities !== "System") add(authoritySecret(tls.authorities, source));
  }
  return secrets;
}

const dataSource = (pem: Pem): Init<typeof DataSourceSchema> => ({
  specifier: "file" in pem ? { case: "filename", value: pem.file } : { case: "inlineString", value: pem.text },
});

function certificateSecret(ref: ObjectRef, source: EnvoySecrets): Secret | undefined {
  const certificate = source.findCertificate(ref);
  if (certificate === undefined) return undefined;
  const { chain, privateKey } = certificate;
  return create(SecretSchema, {
    name: certificateName(ref),
    type: {
      case: "tlsCertificate",
      value: { certificateChain: dataSource(chain), privateKey: dataSource(privateKey) },
    },
  });
}

/** Undefined: there are no CA certificates. Envoy waits for the secret and does not connect. */
function authoritySecret(
  refs: Exclude<BackendTlsConfig["authorities"], "System">,
  source: EnvoySecrets,
): Secret | undefined {
  const authorities = source.findAuthorities(refs);
  if (authorities === undefined) return undefined;
  return create(SecretSchema, {
    name: authoritiesName(refs),
    type: { case: "validationContext", value: { trustedCa: dataSource(authorities) } },
  });
}
