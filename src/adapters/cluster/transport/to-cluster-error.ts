import { ClusterError } from "../cluster-error.ts";

/** Reasons of a failed connection, in words. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection is refused: no server is listening there",
  ECONNRESET: "the connection was reset",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "the network is not reachable",
  ENOTFOUND: "the name of the host cannot be resolved",
  EAI_AGAIN: "the name of the host cannot be resolved",
  ETIMEDOUT: "the connection timed out",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for other names",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
};

const UNTRUSTED: ReadonlySet<string> = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
]);

/** A failed request as one line that names the server. */
export function toClusterError(error: unknown, server: string): ClusterError {
  if (error instanceof ClusterError) return error;
  // Node connects to several addresses of a host and reports them together.
  const first: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  const code = first instanceof Error && "code" in first ? String(first.code) : "";
  if (UNTRUSTED.has(code)) {
    return new ClusterError(`${server} has a certificate of an unknown authority (${code})`, {
      hints: ["Check certificate-authority in the kubeconfig file."],
      cause: error,
    });
  }
  const text = first instanceof Error ? first.message : String(first);
  return new ClusterError(`${server} cannot be reached: ${reasons[code] ?? text}`, { cause: error });
}
