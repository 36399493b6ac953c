import type { AccessOptions } from "../../adapters/cluster/kubeconfig/cluster-access.ts";
import type { OptionValues } from "../args/option.ts";
import { parseAddress } from "../args/parse-address.ts";
import { readClusterOptions } from "../cluster/cluster-options.ts";
import { type GatewaySettings, parseGatewaySettings } from "./gateway-settings.ts";
import { parseReportSettings, type ReportSettings } from "./report-settings.ts";
import { parseWebhookSettings, type WebhookSettings } from "./webhook-settings.ts";

export interface ControllerSettings {
  readonly access: AccessOptions & { readonly kubeconfig: string | undefined };
  /** Where the view API listens. Undefined: it is not served. */
  readonly view: { readonly host: string; readonly port: number } | undefined;
  /** Metrics, health and readiness. Undefined: none. */
  readonly admin: { readonly host: string; readonly port: number } | undefined;
  /** The Service in front of the replicas. Undefined namespace: that of the Pod. */
  readonly service: { readonly namespace: string | undefined; readonly name: string };
  /** The Secret with the controller's own certificates, in the namespace of the Service. */
  readonly secretName: string;
  /** A handle is shown instead of the namespace and the name of a policy that the user may not read. */
  readonly redactsNames: boolean;
  /** Given certificates instead of own ones. */
  readonly certificateFiles: { readonly certificate: string; readonly privateKey: string } | undefined;
  /** Status that is written. Undefined: none. */
  readonly report: ReportSettings | undefined;
  /** The admission webhooks. Undefined: none. */
  readonly webhook: WebhookSettings | undefined;
  /** The Gateways that are served. Undefined: none. */
  readonly gateways?: GatewaySettings | undefined;
  /** True: what was written is taken back, and the process ends. */
  readonly isCleanup?: boolean;
}

export const DEFAULT_LISTEN = "0.0.0.0:8443";
export const DEFAULT_ADMIN = "0.0.0.0:9904";
export const DEFAULT_SERVICE = "prevail-view";
export const DEFAULT_SECRET = "prevail-view-tls";

/** Returns the settings, or what is wrong with the options. */
export function parseControllerSettings(options: OptionValues): ControllerSettings | string {
  const view = parseAddressOrOff(options, "listen", DEFAULT_LISTEN);
  if (typeof view === "string") return view;
  const admin = parseAddressOrOff(options, "admin", DEFAULT_ADMIN);
  if (typeof admin === "string") return admin;
  const [name = "", namespace, ...more] = (options.value("service") ?? DEFAULT_SERVICE).split("/").toReversed();
  if (name === "" || namespace === "" || more.length > 0)
    return `--service is '${options.value("service") ?? ""}': give NAMESPACE/NAME, or NAME in the namespace of the Pod`;
  const certificate = options.value("tls-cert");
  const privateKey = options.value("tls-key");
  if ((certificate === undefined) !== (privateKey === undefined))
    return "--tls-cert and --tls-key belong together: give both, or neither for certificates of its own";
  const report = parseReportSettings(options);
  if (typeof report === "string") return report;
  const webhook = parseWebhookSettings(options);
  if (typeof webhook === "string") return webhook;
  const gateways = parseGatewaySettings(options);
  if (typeof gateways === "string") return gateways;
  if (options.has("cleanup") && report === undefined)
    return "--cleanup takes everything back that was written: leave --view-only out";
  return {
    access: readClusterOptions(options),
    view,
    admin,
    service: { namespace, name },
    secretName: options.value("secret") ?? DEFAULT_SECRET,
    redactsNames: options.has("redact-names"),
    certificateFiles: certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey },
    report,
    webhook,
    gateways,
    isCleanup: options.has("cleanup"),
  };
}

/** Undefined: `off`. A text says what is wrong. */
function parseAddressOrOff(
  options: OptionValues,
  option: string,
  byDefault: string,
): ReturnType<typeof parseAddress> | string {
  const text = options.value(option) ?? byDefault;
  if (text === "off") return undefined;
  return parseAddress(text) ?? `--${option} is '${text}': give an address and a port, such as ${byDefault}, or 'off'`;
}
