/** A node gets the configuration, with its private keys, of the Gateways that its certificate names, and of no other. */
import { connect } from "node:http2";
import { afterEach, expect, test } from "vitest";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import {
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
} from "../../../src/xds/gen/envoy/service/discovery/v3/discovery_pb.ts";
import { create, fromBinary, toBinary } from "../../../src/xds/protobuf.ts";
import { type ControlPlane, startControlPlane } from "../../../src/xds/serve/control-plane.ts";
import type { XdsEvent } from "../../../src/xds/serve/xds-event.ts";
import { dataplane, listener, secretRef } from "../../support/gateway/dataplane-config.ts";
import { Cleanup, waitUntil } from "../../support/gateway/gateway-harness.ts";
import { NODE_7, NODE_8, NODE_9, XDS_SERVER_TLS } from "../../support/gateway/node-certificates.ts";
import { SHOP_CERTIFICATE, SHOP_KEY } from "../../support/gateway/test-certificates.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const SECRET = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
const PATH = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/** Serves `tenant-a/gw-a`, `tenant-a/gw-2` and `tenant-b/gw-b`, each with a key. */
async function startPlane(events: XdsEvent[] = []): Promise<ControlPlane> {
  const plane = await startControlPlane({
    address: { host: "127.0.0.1", port: 0 },
    tls: XDS_SERVER_TLS,
    onEvent: (event) => events.push(event),
    compile: {
      bind: (_, port) => ({ host: "127.0.0.1", port }),
      slackMs: 1,
      systemAuthorities: "/none",
      matchRegex: createRegex(),
    },
  });
  cleanup.add(() => plane.close());
  return plane;
}

function serve(plane: ControlPlane): void {
  const { gateways, ...config } = dataplane([
    { port: 443, protocol: "TLS", listeners: [listener({}, { certificates: [secretRef("shop")] })] },
  ]);
  const named = [
    ["tenant-a", "gw-a"],
    ["tenant-a", "gw-2"],
    ["tenant-b", "gw-b"],
  ] as const;
  plane.replace(
    {
      ...config,
      gateways: named.flatMap(([namespace, name]) =>
        gateways.map((one) => ({ ...one, gateway: { ...one.gateway, namespace, name } })),
      ),
    },
    {
      findCertificate: () => ({ chain: { text: SHOP_CERTIFICATE }, privateKey: { text: SHOP_KEY } }),
      findAuthorities: () => undefined,
    },
  );
}

interface Asked {
  readonly node: string;
  readonly gateway: string;
  readonly certificate: typeof NODE_7;
}

/** Requests the Gateway's key as a node of it would. Resolves with the resources, or with the reason why not. */
function askForKey(
  { port }: ControlPlane,
  { node, gateway, certificate: { certificate, key } }: Asked,
): Promise<string> {
  const session = connect(`https://localhost:${port}`, { ca: XDS_SERVER_TLS.authorities, cert: certificate, key });
  cleanup.add(() => session.destroy());
  return new Promise((resolve, reject) => {
    session.on("error", reject);
    const stream = session.request({
      ":method": "POST",
      ":path": PATH,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("error", reject);
    let got = Buffer.alloc(0);
    stream.on("data", (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]);
      const response = firstMessage(got);
      if (response !== undefined) resolve(response.resources.map(({ name }) => name).join());
    });
    const end = (headers: object): void => resolve(decodeURIComponent(String(Reflect.get(headers, "grpc-message"))));
    stream.on("response", (headers) => headers["grpc-status"] !== undefined && end(headers));
    stream.on("trailers", end);
    const request = create(DeltaDiscoveryRequestSchema, {
      node: { id: node, cluster: gateway },
      typeUrl: SECRET,
      resourceNamesSubscribe: ["certificate/bakery/shop"],
    });
    stream.write(framed(toBinary(DeltaDiscoveryRequestSchema, request)));
  });
}

/** gRPC: a flag for compression, four bytes for the length, the message. */
function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function firstMessage(bytes: Buffer): DeltaDiscoveryResponse | undefined {
  if (bytes.length < 5 || bytes.length < 5 + bytes.readUInt32BE(1)) return undefined;
  return fromBinary(DeltaDiscoveryResponseSchema, bytes.subarray(5, 5 + bytes.readUInt32BE(1)));
}

const KEY = "certificate/bakery/shop";

test.each([
  ["the Gateway that its certificate names", { node: "node-7", gateway: "tenant-a/gw-a", certificate: NODE_7 }],
  ["a Gateway of the namespace that it names", { node: "node-9", gateway: "tenant-a/gw-2", certificate: NODE_9 }],
])("a node gets the key of %s", async (_, asked) => {
  const plane = await startPlane();
  serve(plane);
  expect(await askForKey(plane, asked)).toBe(KEY);
});

test.each([
  [
    "another tenant's Gateway",
    { node: "node-7", gateway: "tenant-b/gw-b", certificate: NODE_7 },
    "the certificate is not for Gateway tenant-b/gw-b: it has no URI name prevail://gateway/tenant-b/gw-b",
  ],
  [
    "another Gateway of its namespace",
    { node: "node-7", gateway: "tenant-a/gw-2", certificate: NODE_7 },
    "the certificate is not for Gateway tenant-a/gw-2",
  ],
  [
    "a Gateway outside of the namespace that its certificate names",
    { node: "node-9", gateway: "tenant-b/gw-b", certificate: NODE_9 },
    "the certificate is not for Gateway tenant-b/gw-b",
  ],
  [
    "a Gateway, with a certificate that names none",
    { node: "node-8", gateway: "tenant-a/gw-a", certificate: NODE_8 },
    "the certificate is not for Gateway tenant-a/gw-a",
  ],
  [
    "its Gateway under the id of another node",
    { node: "node-8", gateway: "tenant-a/gw-a", certificate: NODE_7 },
    "the certificate is not for node node-8",
  ],
  [
    "everything",
    { node: "node-9", gateway: "tenant-a/*", certificate: NODE_9 },
    "the first message must say node.id, and in node.cluster the gateway: namespace/name",
  ],
  [
    "its Gateway under an id that would break the log",
    { node: "node-7\nall is well", gateway: "tenant-a/gw-a", certificate: NODE_7 },
    "the first message must say node.id",
  ],
])("a node that asks for %s is refused with a reason", async (_, asked, reason) => {
  const events: XdsEvent[] = [];
  const plane = await startPlane(events);
  serve(plane);
  expect(await askForKey(plane, asked)).toContain(reason);
  expect(plane.nodes()).toEqual([]);
  expect(events.filter(({ type }) => type === "Sent")).toEqual([]);
});

test("a node that comes before the first configuration waits for it", async () => {
  const plane = await startPlane();
  const asked = askForKey(plane, { node: "node-7", gateway: "tenant-a/gw-a", certificate: NODE_7 });
  expect(await Promise.race([asked, new Promise((resolve) => setTimeout(() => resolve("nothing yet"), 300))])).toBe(
    "nothing yet",
  );
  serve(plane);
  expect(await asked).toBe(KEY);
  await waitUntil(() => plane.nodes().length === 1);
});
