import { type KeyMaterial, materialName } from "../sources/key-material.ts";
import type { EnvoySecrets } from "../xds/compile/envoy-secrets.ts";

/** The key material from the files, in the form that Envoys get. */
export function envoySecrets({ certificates, authorities }: KeyMaterial): EnvoySecrets {
  return {
    findCertificate: (secret) => {
      const found = certificates.get(materialName(secret));
      return found === undefined ? undefined : { chain: { text: found.chain }, privateKey: { text: found.privateKey } };
    },
    findAuthorities: (configMaps) => {
      const found = configMaps.flatMap((configMap) => authorities.get(materialName(configMap)) ?? []);
      return found.length === 0 ? undefined : { text: found.join("\n") };
    },
  };
}
