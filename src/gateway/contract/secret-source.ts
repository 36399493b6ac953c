/** Key material. It is never part of a configuration; the gateway looks it up here. */
import type { ObjectRef } from "../../core/model/refs.ts";

export interface SecretSource {
  /** The certificate in a Secret of type `kubernetes.io/tls`. Undefined: there is no such Secret, or it has no certificate. */
  readonly findCertificate: (secret: ObjectRef) => TlsCertificate | undefined;
  /** `ca.crt` of a ConfigMap, in PEM. Undefined: there is no such ConfigMap, or it has no `ca.crt`. */
  readonly findAuthorities: (configMap: ObjectRef) => string | undefined;
}

export interface TlsCertificate {
  /** In PEM: the certificate, then its issuers. */
  readonly chain: string;
  /** In PEM. */
  readonly privateKey: string;
}

export const NO_SECRETS: SecretSource = { findCertificate: () => undefined, findAuthorities: () => undefined };
