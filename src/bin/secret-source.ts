import type { KeyMaterial } from "../controller/key-material.ts";
import type { ObjectRef } from "../core/model/refs.ts";
import type { SecretSource } from "../gateway/secret-source.ts";

/** Key material from files, as the gateway asks for it. */
export function secretSource({ certificates, authorities }: KeyMaterial): SecretSource {
  const nameOf = ({ namespace, name }: ObjectRef): string => `${namespace}/${name}`;
  return {
    findCertificate: (secret) => certificates.get(nameOf(secret)),
    findAuthorities: (configMap) => authorities.get(nameOf(configMap)),
  };
}
