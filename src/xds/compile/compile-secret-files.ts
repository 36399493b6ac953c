/** Files from which an Envoy reads its own certificate, again when that changes. */
import type { DataSourceSchema } from "../gen/envoy/config/core/v3/base_pb.ts";
import { SecretSchema } from "../gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { type DiscoveryResponse, DiscoveryResponseSchema } from "../gen/envoy/service/discovery/v3/discovery_pb.ts";
import { create, type Init, pack } from "../protobuf.ts";

/** The files of the certificate of an Envoy, in PEM. */
export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly authorityFile: string;
}

/** The paths of the files that `compileSecretFiles` has the content of. */
export interface SecretFiles {
  readonly certificate: string;
  readonly authorities: string;
}

export const CERTIFICATE_SECRET = "certificate";
export const AUTHORITIES_SECRET = "authorities";

/** A file on the machine of the Envoy. */
export const fileSource = (path: string): Init<typeof DataSourceSchema> => ({
  specifier: { case: "filename", value: path },
});

/** The content of `SecretFiles`. Envoy reads a certificate again when a directory is moved into that of the file, as the kubelet does. */
export function compileSecretFiles({
  certificateFile,
  keyFile,
  authorityFile,
}: CertificateFiles): Record<keyof SecretFiles, DiscoveryResponse> {
  const folderOf = (path: string) => ({ path: path.slice(0, path.lastIndexOf("/")) });
  const response = (secret: Init<typeof SecretSchema>): DiscoveryResponse =>
    create(DiscoveryResponseSchema, { resources: [pack(SecretSchema, secret)] });
  return {
    certificate: response({
      name: CERTIFICATE_SECRET,
      type: {
        case: "tlsCertificate",
        value: {
          certificateChain: fileSource(certificateFile),
          privateKey: fileSource(keyFile),
          watchedDirectory: folderOf(certificateFile),
        },
      },
    }),
    authorities: response({
      name: AUTHORITIES_SECRET,
      type: {
        case: "validationContext",
        value: { trustedCa: fileSource(authorityFile), watchedDirectory: folderOf(authorityFile) },
      },
    }),
  };
}
