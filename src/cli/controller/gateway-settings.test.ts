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

  test("--envoy-image: Envoys that the controller runs, which need no certificates of others", async () => {
    expect(await settingsOf("--xds 0.0.0.0:18000 --envoy-image envoy:1")).toEqual({
      dataplane: "Envoy",
      xds: { host: "0.0.0.0", port: 18_000 },
      run: {
        image: "envoy:1",
        portMode: "Shifted",
        rights: { gatewaysMaySetAll: false, maximum: {} },
        infrastructureKeys: [],
      },
    });
    expect(
      await settingsOf("--xds :18000 --envoy-image envoy:1 --privileged-ports bind --xds-endpoint xds.example:18001"),
    ).toContain("--xds is ':18000'");
    expect(
      await settingsOf("--xds [::]:18000 --envoy-image e:1 --privileged-ports bind --xds-endpoint xds.example:18001"),
    ).toMatchObject({ run: { portMode: "AsListeners", endpoint: { host: "xds.example", port: 18_001 } } });
  });

  test("--max-replicas, --max-resources and --infrastructure-keys: what Gateways may ask for", async () => {
    const line = "--xds 0.0.0.0:18000 --envoy-image e:1 --max-replicas 3 --max-resources cpu=2,memory=1Gi";
    expect(await settingsOf(`${line} --infrastructure-keys example.com/*,other.example/a`)).toMatchObject({
      run: {
        rights: { gatewaysMaySetAll: false, maximum: { replicas: 3, resources: { cpu: "2", memory: "1Gi" } } },
        infrastructureKeys: ["example.com/*", "other.example/a"],
      },
    });
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
    ["--envoy-image envoy:1", "--envoy-image is about Gateways that are served"],
    ["--dataplane embedded --envoy-image envoy:1", "--envoy-image is about Envoys"],
    ["--xds 127.0.0.1:18000 --max-replicas 3", "--max-replicas is about Envoys that the controller runs"],
    ["--xds 0.0.0.0:18000 --envoy-image e:1 --max-replicas -1", "--max-replicas is '-1': give a whole number"],
    ["--xds 0.0.0.0:18000 --envoy-image e:1 --max-resources cpu", "--max-resources is 'cpu': give resources with"],
    ["--xds 0.0.0.0:18000 --envoy-image e:1 --max-resources cpu=lots", "--max-resources is 'cpu=lots'"],
    [
      "--xds 0.0.0.0:18000 --envoy-image e:1 --max-resources cpu=2,memory=-1Gi",
      "--max-resources is 'cpu=2,memory=-1Gi': a maximum is not negative",
    ],
    ["--xds 127.0.0.1:18000 --xds-endpoint a:1", "--xds-endpoint is about Envoys that the controller runs"],
    [
      "--xds 0.0.0.0:18000 --envoy-image e:1 --gateway-addresses 127.1.0.0/24",
      "--gateway-addresses is for Envoys that run",
    ],
    ["--xds 0.0.0.0:18000 --envoy-image e:1 --xds-cert a", "--xds-cert is for Envoys that run already"],
    ["--xds 0.0.0.0:18000 --envoy-image e:1 --dry-run", "--dry-run writes nothing"],
    ["--xds unix:a --envoy-image e:1", "--envoy-image needs a port that Pods can reach"],
    ["--xds 0.0.0.0:18000 --envoy-image e:1 --xds-endpoint a", "--xds-endpoint is 'a': give a host and a port"],
    ["--dataplane istio", "--dataplane"],
  ])("%s is refused", async (line, message) => {
    expect(await settingsOf(line)).toContain(message);
  });
});
