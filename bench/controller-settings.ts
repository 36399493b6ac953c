/** The settings of the controller that is measured: it writes status, as one replica. */
import type { ControllerSettings } from "../src/cli/controller/settings.ts";
import type { ServeOutput } from "../src/cli/run/settings.ts";
import { createPrinters } from "../src/cli/streams/create-printers.ts";
import { parseAddressPool } from "../src/core/gateway-status/assign-addresses.ts";
import { testIo } from "../test/support/cli/test-io.ts";
import { REPORT_NAMESPACE, reportSettings } from "../test/support/kubernetes/report-replica.ts";

/** The network of which each Gateway has an address. */
const GATEWAY_NETWORK = "127.1.0.0/24";

/** `xdsPort`: it serves Gateways there. */
export const benchSettings = (kubeconfig: string, port: number, xdsPort?: number): ControllerSettings => ({
  access: { kubeconfig },
  view: { host: "127.0.0.1", port },
  admin: undefined,
  service: { namespace: REPORT_NAMESPACE, name: "prevail-view" },
  secretName: "prevail-view-tls",
  redactsNames: false,
  certificateFiles: undefined,
  report: reportSettings,
  webhook: undefined,
  gateways:
    xdsPort === undefined
      ? undefined
      : {
          dataplane: "Envoy",
          xds: { host: "127.0.0.1", port: xdsPort },
          tls: undefined,
          addresses: parseAddressPool(GATEWAY_NETWORK),
        },
});

export const benchOutput = (print: (line: string) => void): ServeOutput => ({
  write: () => undefined,
  errorPrint: createPrinters(testIo().io).errorPrint,
  note: print,
  fail: (message) => {
    print(message);
    return 1;
  },
});
