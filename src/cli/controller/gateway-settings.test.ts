import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

async function settingsOf(line: string): Promise<unknown> {
  const { code, stdout, stderr } = await runCli(`controller ${line}`);
  if (code !== 0) return stderr.split("\n")[0];
  const { gateways } = JSON.parse(stdout) as { readonly gateways?: unknown };
  return gateways;
}

describe("what serves Gateways", () => {
  test("by default nothing does", async () => {
    expect(await settingsOf("")).toBeUndefined();
  });

  test("--xds: Envoys, with or without --dataplane envoy", async () => {
    const envoy = { dataplane: "Envoy", xds: { host: "127.0.0.1", port: 18_000 } };
    expect(await settingsOf("--xds 127.0.0.1:18000")).toEqual(envoy);
    expect(await settingsOf("--xds 127.0.0.1:18000 --dataplane envoy")).toEqual(envoy);
  });

  test("--dataplane embedded: this process, at addresses of this machine only if none are given", async () => {
    expect(await settingsOf("--dataplane embedded")).toMatchObject({
      dataplane: "Embedded",
      addresses: { text: "127.1.0.0/24" },
    });
    expect(await settingsOf("--dataplane embedded --gateway-addresses 192.0.2.0/28")).toMatchObject({
      addresses: { text: "192.0.2.0/28" },
    });
  });

  test.each([
    ["--dataplane envoy", "--dataplane is about Gateways that are served: add --xds 127.0.0.1:18000, or --dataplane"],
    ["--gateway-addresses 127.1.0.0/24", "--gateway-addresses is about Gateways that are served"],
    ["--xds-cert a", "--xds-cert is about Gateways that are served"],
    ["--dataplane embedded --xds 127.0.0.1:18000", "--xds is about Envoys: leave it out, or --dataplane embedded"],
    ["--dataplane embedded --view-only", "leave --view-only out"],
    ["--dataplane embedded --gateway-addresses 127.1.0.0/31", "--gateway-addresses is '127.1.0.0/31'"],
    ["--xds 0.0.0.0:18000", "keys are sent there"],
    ["--dataplane istio", "--dataplane"],
  ])("%s is refused", async (line, message) => {
    expect(await settingsOf(line)).toContain(message);
  });
});
