import type { SecretSource } from "../../gateway/contract/secret-source.ts";
import { type KeyMaterial, materialName } from "../../sources/key-material.ts";

/** The key material from the files, as the secret source of the embedded gateway. */
export function gatewaySecrets({ certificates, authorities }: KeyMaterial): SecretSource {
  return {
    findCertificate: (secret) => certificates.get(materialName(secret)),
    findAuthorities: (configMap) => authorities.get(materialName(configMap)),
  };
}
