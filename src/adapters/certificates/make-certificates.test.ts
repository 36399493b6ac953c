import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { makeAuthority, signCertificate } from "./make-certificates.ts";
import { readCertificate } from "./read-certificate.ts";

const now = { nowMs: Date.now(), days: 1 };

test("a client and a server with certificates of one authority trust each other", async () => {
  const authority = await makeAuthority({ commonName: "test", ...now });
  const server = await signCertificate(authority, { commonName: "a", dnsNames: ["view.svc"], usage: "Server", ...now });
  const client = await signCertificate(authority, { commonName: "front-proxy-client", usage: "Client", ...now });
  const listening = createServer(
    { cert: server.certificate, key: server.privateKey, ca: authority.certificate, requestCert: true },
    (_, response) => response.end(),
  );
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  const socket = connect({
    port,
    host: "127.0.0.1",
    servername: "view.svc",
    ca: authority.certificate,
    cert: client.certificate,
    key: client.privateKey,
  });
  await once(socket, "secureConnect");
  expect(socket.authorized).toBe(true);
  socket.destroy();
  listening.close();
});

test("what a certificate says", async () => {
  const authority = await makeAuthority({ commonName: "test", ...now });
  const other = await makeAuthority({ commonName: "test", ...now });
  const { certificate, privateKey } = await signCertificate(authority, {
    commonName: "a",
    dnsNames: ["prevail.prevail-system.svc"],
    usage: "Server",
    ...now,
  });
  const facts = readCertificate(certificate);
  expect(facts?.isFor("prevail.prevail-system.svc")).toBe(true);
  expect(facts?.isFor("a")).toBe(false);
  expect(facts?.isSignedBy(authority.certificate)).toBe(true);
  expect(facts?.isSignedBy(other.certificate)).toBe(false);
  expect(facts?.hasKey(privateKey)).toBe(true);
  expect(facts?.hasKey(authority.privateKey)).toBe(false);
  expect((facts?.notAfterMs ?? 0) - now.nowMs).toBeGreaterThan(86_000_000);
  expect(readCertificate("no certificate")).toBeUndefined();
});
