/** The configuration of an Envoy contains private keys, so other users of the machine must not be able to read it. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ENVOY } from "../../support/gateway/data-planes.ts";
import { dataplane, listener, secretRef } from "../../support/gateway/dataplane-config.ts";
import { Cleanup } from "../../support/gateway/gateway-harness.ts";
import { SHOP_CERTIFICATE, SHOP_KEY } from "../../support/gateway/test-certificates.ts";

const cleanup = new Cleanup();
afterEach(async () => {
  await cleanup.run();
  vi.unstubAllEnvs();
});

const certificates = { shop: { chain: SHOP_CERTIFICATE, privateKey: SHOP_KEY } };
const config = dataplane([
  { port: 443, protocol: "TLS", listeners: [listener({}, { certificates: [secretRef("shop")] })] },
]);

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const openPorts = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;

describe.skipIf(!ENVOY.isThere)("Envoys that are started here", () => {
  test("get their configuration over a socket that only this user can open, and that is removed at the end", async () => {
    const folder = mkdtempSync(join(tmpdir(), "prevail-users-"));
    vi.stubEnv("TMPDIR", folder);
    const before = openPorts();
    await ENVOY.start(cleanup, config, { certificates });
    const names = readdirSync(folder);
    expect(names).toHaveLength(2);
    for (const name of names) expect(modeOf(join(folder, name)), name).toBe("700");
    const [socket = ""] = names.map((name) => join(folder, name, "xds.sock")).filter((path) => existsSync(path));
    expect(modeOf(socket)).toBe("600");
    const [bootstrap = ""] = names
      .map((name) => join(folder, name, "bootstrap.json"))
      .filter((path) => existsSync(path));
    expect(modeOf(bootstrap)).toBe("600");
    expect(openPorts(), "TCP ports that this process has opened").toBe(before);
    await cleanup.run();
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});
