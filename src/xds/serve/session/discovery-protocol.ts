/** Delta and state-of-the-world xDS behind one interface. */
import type { Node } from "../../gen/envoy/config/core/v3/base_pb.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "../../gen/envoy/service/discovery/v3/discovery_pb.ts";
import { create, fromBinary, toBinary } from "../../protobuf.ts";
import { encodeEmptyEndpoints } from "../encode/encode-resources.ts";
import type { EncodedResource } from "../encode/encoded-resource.ts";
import { findResourceType, isWholesale, type ResourceType, typeUrlOf } from "../encode/resource-type.ts";
import type { SessionRequest, SessionResponse } from "./xds-session.ts";

export interface DiscoveryRequestParts {
  /** Set at least in the first message of a stream. */
  readonly node: Node | undefined;
  /** Undefined: the type is not served, or the message acknowledges an outdated response. */
  readonly request: SessionRequest | undefined;
}

/** One instance per stream. Parsing throws for malformed messages. */
export interface DiscoveryProtocol {
  readonly parse: (bytes: Uint8Array) => DiscoveryRequestParts;
  readonly format: (response: SessionResponse) => Uint8Array;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

export function deltaProtocol(): DiscoveryProtocol {
  return {
    parse: (bytes) => {
      const message = fromBinary(DeltaDiscoveryRequestSchema, bytes);
      const type = findResourceType(message.typeUrl);
      if (type === undefined) return { node: message.node, request: undefined };
      return {
        node: message.node,
        request: {
          type,
          subscribe: message.resourceNamesSubscribe,
          unsubscribe: message.resourceNamesUnsubscribe,
          held: new Map(Object.entries(message.initialResourceVersions)),
          nonce: message.responseNonce,
          refusal: message.errorDetail?.message,
        },
      };
    },
    format: ({ type, nonce, resources, removed }) =>
      toBinary(
        DeltaDiscoveryResponseSchema,
        create(DeltaDiscoveryResponseSchema, {
          typeUrl: typeUrlOf(type),
          nonce,
          resources: resources.map(({ name, version, any }) => ({ name, version, resource: any })),
          removedResources: [...removed],
        }),
      ),
  };
}

export function sotwProtocol(): DiscoveryProtocol {
  const asked = new Map<ResourceType, ReadonlySet<string>>();
  const sent = new Map<ResourceType, string>();
  return {
    parse: (bytes) => {
      const message = fromBinary(DiscoveryRequestSchema, bytes);
      const type = findResourceType(message.typeUrl);
      const nonce = message.responseNonce;
      // Acknowledges an outdated response; another message acknowledges the last one.
      const isStale = type !== undefined && nonce !== "" && sent.get(type) !== nonce;
      if (type === undefined || isStale) return { node: message.node, request: undefined };
      const before = asked.get(type) ?? new Set();
      const names = new Set(message.resourceNames);
      asked.set(type, names);
      return {
        node: message.node,
        request: {
          type,
          subscribe: [...names].filter((name) => !before.has(name)),
          unsubscribe: [...before].filter((name) => !names.has(name)),
          held: NOTHING,
          nonce,
          refusal: message.errorDetail?.message,
        },
      };
    },
    format: ({ type, nonce, resources, removed, all }) => {
      sent.set(type, nonce);
      const included = isWholesale(type) ? all() : type === "Endpoints" ? withAbsent(resources, removed) : resources;
      return toBinary(
        DiscoveryResponseSchema,
        create(DiscoveryResponseSchema, {
          typeUrl: typeUrlOf(type),
          versionInfo: nonce,
          nonce,
          resources: included.map(({ any }) => any),
        }),
      );
    },
  };
}

/** This protocol has no word for what is absent, and a cluster that waits for endpoints blocks all clusters after it: it gets none. */
const withAbsent = (resources: readonly EncodedResource[], absent: readonly string[]): readonly EncodedResource[] => [
  ...resources,
  ...absent.map(encodeEmptyEndpoints),
];
