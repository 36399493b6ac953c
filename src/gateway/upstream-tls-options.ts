import { checkServerIdentity, type PeerCertificate } from "node:tls";
import type { UpstreamTls } from "./upstream.ts";

export interface UpstreamTlsOptions {
  readonly servername: string;
  readonly ca?: string;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/** The name that is asked for is the name that is checked, unless the policy lists others. */
export function upstreamTlsOptions({ serverName, authorities, subjectAltNames }: UpstreamTls): UpstreamTlsOptions {
  return {
    servername: serverName,
    ...(authorities === undefined ? {} : { ca: authorities }),
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
  return isNamed ? undefined : new Error("the certificate has none of the names that the policy lists");
}
