/** Where key material comes from. It never enters a configuration: whoever starts a server hands it over on request. */
import type { ObjectRef } from "../../core/model/refs.ts";

/** Text in PEM, or the file in which an Envoy finds it. */
export type Pem = { readonly text: string } | { readonly file: string };

export interface SecretSource {
  /** Of a Secret of type `kubernetes.io/tls`; undefined: it is not there, or it is no such Secret. */
  readonly findCertificate: (secret: ObjectRef) => { readonly chain: Pem; readonly privateKey: Pem } | undefined;
  /** `ca.crt` of all these ConfigMaps together; undefined: none has one. */
  readonly findAuthorities: (configMaps: readonly ObjectRef[]) => Pem | undefined;
}
