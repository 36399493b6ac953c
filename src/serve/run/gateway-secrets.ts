import type { SecretSource } from "../../gateway/contract/secret-source.ts";
import { type KeyMaterial, materialName } from "../../sources/key-material.ts";

/** Key material from files, as the gateway asks for it. */
export function gatewaySecrets({ certificates, authorities }: KeyMaterial): SecretSource {
  return {
    findCertificate: (secret) => certificates.get(materialName(secret)),
    findAuthorities: (configMap) => authorities.get(materialName(configMap)),
  };
}
