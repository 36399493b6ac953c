/** Key material for Envoys. It is never part of a configuration; the control plane looks it up here. */
import type { ObjectRef } from "../../core/model/refs.ts";

/** Text in PEM, or a file on the machine of the Envoy. */
export type Pem = { readonly text: string } | { readonly file: string };

export interface EnvoySecrets {
  /** The certificate in a Secret of type `kubernetes.io/tls`. Undefined: there is no such Secret, or it has no certificate. */
  readonly findCertificate: (secret: ObjectRef) => { readonly chain: Pem; readonly privateKey: Pem } | undefined;
  /** `ca.crt` of all these ConfigMaps together. Undefined: none has one. */
  readonly findAuthorities: (configMaps: readonly ObjectRef[]) => Pem | undefined;
}
