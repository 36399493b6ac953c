import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { UpstreamTls, UpstreamTlsOptions } from "../contract/upstream.ts";

/**
 * Backend certificate validation
 *
 * `validation.hostname` is sent as the TLS server name. The backend's certificate must be valid for it, or for one of
 * `validation.subjectAltNames` if there are any.
 * Gateway API, "BackendTLSPolicyValidation"
 */
export function upstreamTlsOptions(tls: UpstreamTls): UpstreamTlsOptions {
  const { serverName, authorities, subjectAltNames, clientCertificate } = tls;
  return {
    servername: serverName,
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(clientCertificate === undefined ? {} : { cert: clientCertificate.chain, key: clientCertificate.privateKey }),
    checkServerIdentity: (_, certificate) => checkNames(certificate, serverName, subjectAltNames),
  };
}

function checkNames(
  certificate: PeerCertificate,
  serverName: string,
  subjectAltNames: UpstreamTls["subjectAltNames"],
): Error | undefined {
  if (subjectAltNames.length === 0) return checkServerIdentity(serverName, certificate);
  const found = (certificate.subjectaltname ?? "").split(", ");
  const isNamed = subjectAltNames.some(({ type, value }) =>
    type === "URI" ? found.includes(`URI:${value}`) : checkServerIdentity(value, certificate) === undefined,
  );
  return isNamed ? undefined : new Error("the certificate has none of the policy's subject alternative names");
}
