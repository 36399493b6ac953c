/** A real Envoy reads its own certificate for xDS again when the kubelet replaces the files of its Secret. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CertifiedKey,
  makeAuthority,
  signCertificate,
} from "../../../src/adapters/certificates/make-certificates.ts";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import { bootstrapJson, responseJson } from "../../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../../src/xds/compile/compile-bootstrap.ts";
import { compileSecretFiles } from "../../../src/xds/compile/compile-secret-files.ts";
import { type ControlPlane, startControlPlane } from "../../../src/xds/serve/control-plane.ts";
import { gatewayUri, replicasUri } from "../../../src/xds/serve/node-certificate.ts";
import type { XdsEvent } from "../../../src/xds/serve/xds-event.ts";
import type { XdsServerTls } from "../../../src/xds/serve/xds-port.ts";
import { findEnvoy, startEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { Cleanup } from "../../support/gateway/gateway-harness.ts";
import { startTraffic } from "./constant-traffic.ts";
import { createEditedGateway, createRandom, STEADY_HOSTS } from "./edited-gateway.ts";

const envoyPath = findEnvoy();
/** Envoy connects again within 30 s. */
const LIMIT_MS = 60_000;

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) expect.fail(`not so after ${LIMIT_MS / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A folder as the kubelet makes it of a Secret: files are links into `..data`, which is a link to a version of them. */
class SecretFolder {
  readonly path: string;
  #version = 0;

  constructor(path: string) {
    this.path = path;
    for (const name of ["tls.crt", "tls.key", "ca.crt"]) symlinkSync(join("..data", name), join(path, name));
  }

  write({ certificate, privateKey }: CertifiedKey, authorities: string): void {
    const version = `..version-${++this.#version}`;
    mkdirSync(join(this.path, version));
    const files = { "tls.crt": certificate, "tls.key": privateKey, "ca.crt": authorities };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.path, version, name), text);
    symlinkSync(version, join(this.path, "..next"));
    renameSync(join(this.path, "..next"), join(this.path, "..data"));
  }
}

describe.skipIf(envoyPath === undefined)("the certificate of an Envoy for xDS is replaced", () => {
  const cleanup = new Cleanup();
  const validity = { nowMs: Date.now(), days: 1 };
  let [before, after]: CertifiedKey[] = [];

  beforeAll(async () => {
    [before, after] = await Promise.all(
      ["before", "after"].map((name) => makeAuthority({ commonName: `authority ${name}`, ...validity })),
    );
  });
  afterAll(() => cleanup.run());

  const serverTls = async (authority: CertifiedKey, authorities: string): Promise<XdsServerTls> => {
    const request = { commonName: "xds", dnsNames: ["localhost"], usage: "Server", ...validity } as const;
    return { ...(await signCertificate(authority, request)), authorities };
  };
  const clientKey = (authority: CertifiedKey): Promise<CertifiedKey> =>
    signCertificate(authority, {
      commonName: "envoy",
      uriNames: [replicasUri("envoy"), gatewayUri("bakery/door")],
      usage: "Client",
      ...validity,
    });

  test(
    "a server that accepts only the new authority refuses it before and accepts it afterwards; the Envoy goes on, and no request is lost",
    async () => {
      if (before === undefined || after === undefined) throw new Error("there are two authorities");
      const [port = 0, adminPort = 0, xdsPort = 0] = await findFreePorts(3);
      const backend = createServer((_, response) => response.end("here you are"));
      backend.keepAliveTimeout = 2 * LIMIT_MS;
      await new Promise<void>((done) => backend.listen(0, "127.0.0.1", done));
      cleanup.add(() => {
        backend.closeAllConnections();
        backend.close();
      });
      const bound = backend.address();
      const alive = [{ address: "127.0.0.1", port: typeof bound === "object" ? (bound?.port ?? 0) : 0 }];
      const gateway = createEditedGateway(port, alive, createRandom(7));
      const events: XdsEvent[] = [];
      const startPlane = async (tls: XdsServerTls): Promise<ControlPlane> => {
        const plane = await startControlPlane({
          address: { host: "127.0.0.1", port: xdsPort },
          tls,
          onEvent: (event) => events.push(event),
          compile: {
            bind: (_, listening) => ({ host: "127.0.0.1", port: listening }),
            slackMs: 1,
            systemAuthorities: "/none",
            matchRegex: createRegex(),
          },
        });
        cleanup.add(() => plane.close());
        plane.replace(gateway.config(), NO_KEYS);
        return plane;
      };
      const hasSettled = (plane: ControlPlane) => (): boolean =>
        plane.nodes().length === 1 && plane.nodes().every(({ isSettled }) => isSettled);

      const folder = mkdtempSync(join(tmpdir(), "prevail-rotated-"));
      cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
      const secret = new SecretFolder(folder);
      secret.write(await clientKey(before), `${before.certificate}\n${after.certificate}`);
      const files = {
        certificateFile: join(folder, "tls.crt"),
        keyFile: join(folder, "tls.key"),
        authorityFile: join(folder, "ca.crt"),
        secretFiles: { certificate: join(folder, "certificate.json"), authorities: join(folder, "authorities.json") },
      };
      const { certificate, authorities } = compileSecretFiles(files);
      writeFileSync(files.secretFiles.certificate, JSON.stringify(responseJson(certificate)));
      writeFileSync(files.secretFiles.authorities, JSON.stringify(responseJson(authorities)));

      const first = await startPlane(await serverTls(before, before.certificate));
      const bootstrap = compileBootstrap({
        nodeId: "envoy-1",
        gateway: "bakery/door",
        server: { host: "127.0.0.1", port: xdsPort },
        tls: { ...files, serverName: "localhost" },
        adminPort,
      });
      const envoy = await startEnvoy(envoyPath ?? "", bootstrapJson(bootstrap), adminPort);
      cleanup.add(() => envoy.close());
      await until("Envoy has its configuration", hasSettled(first));
      const traffic = startTraffic(port, STEADY_HOSTS, 8);
      cleanup.add(() => traffic.stop());

      await first.close();
      gateway.edit();
      const second = await startPlane(await serverTls(after, after.certificate));
      await until("the old certificate is refused", () => events.some(({ type }) => type === "HandshakeFailed"));
      expect(second.nodes()).toEqual([]);
      secret.write(await clientKey(after), after.certificate);
      await until("Envoy has the edit, with the new certificate", hasSettled(second));

      await traffic.stop();
      expect(traffic.failures()).toEqual([]);
      expect(traffic.responses()).toBeGreaterThan(100);
    },
    3 * LIMIT_MS,
  );
});
