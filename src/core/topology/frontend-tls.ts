/** `spec.tls.frontend` of a Gateway: how the certificates of clients are validated. */
import { isJsonObject, type JsonObject, objectAt, objectsIn } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";

export interface FrontendTls {
  /** Undefined: for all ports without settings of their own. */
  readonly port: number | undefined;
  /** Undefined: clients need no certificate. */
  readonly validation: JsonObject | undefined;
  /** The field of `caCertificateRefs`. */
  readonly field: string;
}

/** Empty: clients need no certificate at any port. */
export function frontendTlsOf({ raw }: KubeObject): readonly FrontendTls[] {
  const frontend = objectAt(objectAt(objectAt(raw, "spec"), "tls"), "frontend");
  const settings = (tls: JsonObject, field: string, port?: number): FrontendTls => {
    const { validation } = tls;
    return {
      port,
      validation: isJsonObject(validation) ? validation : undefined,
      field: `${field}.validation.caCertificateRefs`,
    };
  };
  const perPort = objectsIn(frontend["perPort"]).flatMap((entry, index) => {
    const { port } = entry;
    const field = `spec.tls.frontend.perPort[${index}].tls`;
    return typeof port === "number" ? [settings(objectAt(entry, "tls"), field, port)] : [];
  });
  const byDefault = settings(objectAt(frontend, "default"), "spec.tls.frontend.default");
  return [...perPort, byDefault].some(({ validation }) => validation !== undefined) ? [...perPort, byDefault] : [];
}

/**
 * Settings of a port before the default
 *
 * HTTPS listeners validate clients as `perPort` says for their port, also if it says nothing, else as `default` does.
 * Gateway API, "FrontendTLSConfig"
 */
export const frontendTlsAt = (all: readonly FrontendTls[], port: number | undefined): FrontendTls | undefined =>
  all.find((one) => one.port !== undefined && one.port === port) ?? all.find((one) => one.port === undefined);
