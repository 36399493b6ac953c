/** Where key material comes from. It never enters a configuration: whoever starts a gateway hands it over on request. */
import type { ObjectRef } from "../core/model/refs.ts";

export interface SecretSource {
  /** Of a Secret of type `kubernetes.io/tls`; undefined: it is not there, or it is no such Secret. */
  readonly findCertificate: (secret: ObjectRef) => ServerCertificate | undefined;
  /** `ca.crt` of a ConfigMap, in PEM; undefined: it is not there. */
  readonly findAuthorities: (configMap: ObjectRef) => string | undefined;
}

/** Both in PEM. */
export interface ServerCertificate {
  /** The certificate itself first, then whoever signed it. */
  readonly chain: string;
  readonly privateKey: string;
}

/** For gateways that need none. */
export const NO_SECRETS: SecretSource = { findCertificate: () => undefined, findAuthorities: () => undefined };
