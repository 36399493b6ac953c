import type { JsonObject } from "../model/json.ts";
import type { ObjectRef } from "../model/refs.ts";
import type { GatewayParameters } from "./parse-gateway-parameters.ts";
import type { PortMode } from "./pod-ports.ts";

export interface InfrastructureSettings {
  readonly controllerName: string;
  /** The namespace of the objects: that of the controller. */
  readonly namespace: string;
  readonly image: string;
  readonly portMode: PortMode;
  /**
   * Keys of labels and annotations of Gateways that their objects may have: a key, a prefix as `example.com/*`, or `*` for all. Keys
   * without a prefix always are allowed.
   */
  readonly infrastructureKeys: readonly string[];
}

export interface InfrastructureRequest {
  readonly gateway: ObjectRef;
  readonly parameters: GatewayParameters;
  /** The files that Envoy starts with, by name: `envoy.json`, and what it refers to. */
  readonly bootstrap: Readonly<Record<string, string>>;
}

/** A port of a Service. */
export interface ListenerPort {
  readonly port: number;
  readonly transport: "TCP" | "UDP";
}

/** The objects that must exist for one Gateway. The Secret with the certificate of its Envoys is not part of it, because its content cannot be computed. */
export interface GatewayInfrastructure {
  readonly gateway: ObjectRef;
  /** The name of all objects. */
  readonly name: string;
  readonly namespace: string;
  /** Labels and annotations of the Secret with the client certificate. */
  readonly secretMetadata: ObjectMetadata;
  /** In the order in which they are to be created. */
  readonly objects: readonly JsonObject[];
  /** Kinds of objects that stay as they are if they exist. */
  readonly keeps: readonly string[];
}

/** The metadata of objects of a Gateway. */
export interface ObjectMetadata {
  readonly namespace: string;
  readonly name: string;
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
}
