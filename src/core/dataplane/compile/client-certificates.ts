/** The client certificates of a Gateway: those that it asks of clients, and its own for backends. */
import { referenceProblemsOf } from "../../effective/world/gateway-problems.ts";
import type { World } from "../../effective/world/world.ts";
import { isJsonObject, type JsonObject, objectAt, objectsIn } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { type ObjectId, type ObjectRef, objectId } from "../../model/refs.ts";
import { type FrontendTls, frontendTlsAt, frontendTlsOf } from "../../topology/frontend-tls.ts";
import type { ClientValidationConfig, ConfigProblem } from "../gateway-config.ts";

/** How the certificates of clients are validated at a port. */
export type ClientValidation =
  | { readonly state: "none" }
  | { readonly state: "validated"; readonly clients: ClientValidationConfig }
  /** Serving the listener would admit clients that must not be admitted. */
  | { readonly state: "impossible"; readonly reason: string };

export interface ClientCertificates {
  /** For HTTPS listeners at a port. */
  readonly validationAt: (port: number) => ClientValidation;
  /** The Gateway's own certificate. Undefined: it has none. */
  readonly own: ObjectRef | undefined;
  readonly problems: readonly ConfigProblem[];
  /** The ConfigMaps and Secrets that it refers to. */
  readonly named: readonly ObjectId[];
  /** The namespaces whose ReferenceGrants it depends on. */
  readonly grantsOf: readonly string[];
}

const NOT_VALIDATED: ClientValidation = { state: "none" };
const NONE: ClientCertificates = {
  validationAt: () => NOT_VALIDATED,
  own: undefined,
  problems: [],
  named: [],
  grantsOf: [],
};

export function clientCertificates(world: World, gateway: KubeObject): ClientCertificates {
  const frontend = frontendTlsOf(gateway);
  const own = objectAt(objectAt(objectAt(gateway.raw, "spec"), "tls"), "backend")["clientCertificateRef"];
  if (frontend.length === 0 && !isJsonObject(own)) return NONE;
  const draft = new CertificateDraft(world, gateway);
  const validations = new Map(frontend.map((one) => [one, draft.validation(one)]));
  const certificate = isJsonObject(own) ? draft.own(own) : undefined;
  const { problems, named, grantsOf } = draft;
  return {
    validationAt: (port) => {
      const found = frontendTlsAt(frontend, port);
      return (found && validations.get(found)) ?? NOT_VALIDATED;
    },
    own: certificate,
    problems,
    named: [...named],
    grantsOf: [...grantsOf],
  };
}

class CertificateDraft {
  readonly problems: ConfigProblem[] = [];
  readonly named = new Set<ObjectId>();
  readonly grantsOf = new Set<string>();
  readonly #gateway: KubeObject;
  /** By field: why a reference does not resolve. */
  readonly #refused: ReadonlyMap<string, string>;

  constructor(world: World, gateway: KubeObject) {
    this.#gateway = gateway;
    this.#refused = new Map(referenceProblemsOf(world, gateway).map(({ field, message }) => [field, message]));
  }

  /**
   * CA certificates for clients
   *
   * References to CA certificates that do not resolve are ignored. If none resolves, the HTTPS listeners are not served.
   * Gateway API, "FrontendTLSValidation"
   */
  validation({ validation, field }: FrontendTls): ClientValidation {
    if (validation === undefined) return NOT_VALIDATED;
    const authorities = objectsIn(validation["caCertificateRefs"]).flatMap(
      (ref, index) => this.#resolve(ref, "ConfigMap", `${field}[${index}]`, "the CA certificate is ignored") ?? [],
    );
    if (authorities.length === 0) {
      return { state: "impossible", reason: `clients cannot be validated, because ${field} has no valid reference` };
    }
    const mode = validation["mode"] === "AllowInsecureFallback" ? "AllowInsecureFallback" : "AllowValidOnly";
    return { state: "validated", clients: { authorities, mode } };
  }

  /**
   * The Gateway's certificate for backends
   *
   * It is used for every backend with a BackendTLSPolicy. Without a usable one the Gateway has none: a backend that requires one refuses
   * the connection.
   * Gateway API, "GatewayBackendTLS"
   */
  own(ref: JsonObject): ObjectRef | undefined {
    const field = "spec.tls.backend.clientCertificateRef";
    return this.#resolve(ref, "Secret", field, "backends get no client certificate");
  }

  /** Undefined: the reference is not valid, and that is reported. */
  #resolve(ref: JsonObject, supported: string, field: string, effect: string): ObjectRef | undefined {
    const { group = "", kind = supported, name, namespace } = ref;
    const { ref: from } = this.#gateway;
    const isSupported = group === "" && kind === supported && typeof name === "string";
    const home = typeof namespace === "string" && namespace !== "" ? namespace : from.namespace;
    if (isSupported) {
      this.named.add(objectId({ group, kind: supported, namespace: home, name }));
      if (home !== from.namespace) this.grantsOf.add(home);
    }
    const refused = this.#refused.get(field) ?? (isSupported ? undefined : `only ${supported}s are supported`);
    if (refused !== undefined) this.problems.push({ object: from, field, message: `${refused}: ${effect}` });
    return isSupported && refused === undefined ? { group, kind: supported, namespace: home, name } : undefined;
  }
}
