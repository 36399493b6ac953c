import { describe, expect, test } from "vitest";
import { refusalOf } from "./node-certificate.ts";

const GATEWAY_A = "URI:prevail://gateway/tenant-a/gw-a";

describe("a certificate", () => {
  test.each([
    ["with the node id as DNS name", { subjectaltname: `DNS:node-7, ${GATEWAY_A}` }],
    ["with the node id as URI name", { subjectaltname: `URI:node-7, ${GATEWAY_A}` }],
    ["with the node id as common name", { subject: { CN: "node-7" }, subjectaltname: GATEWAY_A }],
    ["for the replicas of a Deployment", { subjectaltname: `URI:prevail://node/node-*, ${GATEWAY_A}` }],
    ["for several Gateways", { subjectaltname: `DNS:node-7, URI:prevail://gateway/tenant-b/gw-b, ${GATEWAY_A}` }],
    ["for all Gateways of a namespace", { subjectaltname: "DNS:node-7, URI:prevail://gateway/tenant-a/*" }],
    ["for all Gateways", { subjectaltname: "DNS:node-7, URI:prevail://gateway/*/*" }],
    ["with other names too", { subjectaltname: `IP Address:10.0.0.7, email:a@b, DNS:node-7, ${GATEWAY_A}` }],
  ])("%s is accepted", (_, certificate) => {
    expect(refusalOf(certificate, "node-7", "tenant-a/gw-a")).toBe(undefined);
  });

  const noNode = /not for node node-7/;
  const noGateway = /not for Gateway tenant-a\/gw-a: it has no URI name prevail:\/\/gateway\/tenant-a\/gw-a/;

  test.each([
    ["that is missing", undefined, noNode],
    ["without names", {}, noNode],
    ["for the replicas of another Deployment", { subjectaltname: `URI:prevail://node/nod-*, ${GATEWAY_A}` }, noNode],
    ["for replicas without a name", { subjectaltname: `URI:prevail://node/-*, ${GATEWAY_A}` }, noNode],
    ["for every node", { subjectaltname: `URI:prevail://node/*, ${GATEWAY_A}` }, noNode],
    ["of another node", { subjectaltname: `DNS:node-8, ${GATEWAY_A}` }, noNode],
    ["with the node id as an e-mail address", { subjectaltname: `email:node-7, ${GATEWAY_A}` }, noNode],
    ["with the node id inside of another name", { subjectaltname: `URI:"a, DNS:node-7", ${GATEWAY_A}` }, noNode],
    ["with two common names", { subject: { CN: ["node-7", "x"] }, subjectaltname: GATEWAY_A }, noNode],
    ["for no Gateway", { subjectaltname: "DNS:node-7" }, noGateway],
    ["for another Gateway", { subjectaltname: "DNS:node-7, URI:prevail://gateway/tenant-b/gw-b" }, noGateway],
    ["for another namespace", { subjectaltname: "DNS:node-7, URI:prevail://gateway/tenant-b/*" }, noGateway],
    ["for the Gateway as DNS name", { subjectaltname: "DNS:node-7, DNS:prevail://gateway/tenant-a/gw-a" }, noGateway],
    ["for a longer name", { subjectaltname: "DNS:node-7, URI:prevail://gateway/tenant-a/gw-a2" }, noGateway],
    ["with the Gateway inside of another name", { subjectaltname: `DNS:node-7, URI:"x, ${GATEWAY_A}"` }, noGateway],
    ["with a name that is not understood", { subjectaltname: `DNS:node-7, ?, ${GATEWAY_A}` }, noGateway],
  ])("%s is refused", (_, certificate, reason) => {
    expect(refusalOf(certificate, "node-7", "tenant-a/gw-a")).toMatch(reason);
  });
});
