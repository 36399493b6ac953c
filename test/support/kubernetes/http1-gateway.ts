/** A reverse proxy in front of an API server that speaks HTTP/1.1 only, as some company gateways do. */
import { readFileSync } from "node:fs";
import { createServer, request } from "node:https";
import { makeAuthority, signCertificate } from "../../../src/adapters/certificates/make-certificates.ts";
import type { ControlPlane } from "./control-plane.ts";

export interface Http1Gateway {
  readonly port: number;
  /** Its certificate authority, in PEM. */
  readonly authority: string;
  /** The version of HTTP of each request. */
  readonly versions: ReadonlySet<string>;
  readonly close: () => Promise<void>;
}

export async function startHttp1Gateway({ server, authority }: ControlPlane): Promise<Http1Gateway> {
  const validity = { nowMs: Date.now(), days: 1 };
  const own = await makeAuthority({ commonName: "gateway", ...validity });
  const { certificate, privateKey } = await signCertificate(own, {
    commonName: "localhost",
    dnsNames: ["localhost"],
    usage: "Server",
    ...validity,
  });
  const ca = readFileSync(authority);
  const versions = new Set<string>();
  const gateway = createServer({ cert: certificate, key: privateKey }, (incoming, outgoing) => {
    versions.add(incoming.httpVersion);
    const { method } = incoming;
    const headers = { ...incoming.headers, host: new URL(server).host };
    const passed = request(`${server}${incoming.url}`, { method, headers, ca, agent: false }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  const address = gateway.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    port: address.port,
    authority: own.certificate,
    versions,
    close: () =>
      new Promise((resolve) => {
        gateway.close(() => resolve());
        gateway.closeAllConnections();
      }),
  };
}
