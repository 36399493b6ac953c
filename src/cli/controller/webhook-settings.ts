/** The options of `controller` about the admission webhooks. */
import type { RefusalSettings } from "../../core/admission/find-refusal.ts";
import type { Option, OptionValues } from "../args/option.ts";
import { parseAddress } from "../args/parse-address.ts";

export interface WebhookSettings {
  readonly host: string;
  readonly port: number;
  /** Only clients with a certificate of this authority may ask. Undefined: every client that can connect. */
  readonly clientAuthorityFile: string | undefined;
  /** The requests that are refused. Undefined: none. */
  readonly deny: RefusalSettings | undefined;
  /** A handle is written instead of the namespace and the name of other policies. */
  readonly redactsNames: boolean;
}

/** The port of the manifests. */
const EXAMPLE = "0.0.0.0:9443";

export const webhookOptions: readonly Option[] = [
  {
    name: "webhook",
    value: "ADDRESS:PORT",
    help: `serve the admission webhooks there, such as ${EXAMPLE} (default: none)`,
  },
  { name: "deny", help: "refuse what a request makes worse; without it the webhooks only warn" },
  {
    name: "refuse-conflicts",
    help: "with --deny: also refuse what would be Conflicted, or make another policy Conflicted",
  },
  {
    name: "confirm-above",
    value: "N",
    help: "with --deny: also refuse a delete or update that ends the effect of settings on more than N paths, unless the annotation prevail.dev/confirm has the generation of the object",
  },
  {
    name: "webhook-client-ca",
    value: "FILE",
    help: "only clients with a certificate of this authority may ask the webhooks (default: every client that can connect)",
  },
];

const ABOUT_WEBHOOKS = ["deny", "refuse-conflicts", "confirm-above", "webhook-client-ca"];
const ABOUT_DENY = ["refuse-conflicts", "confirm-above"];

/** Undefined: no webhooks. A text says what is wrong with the options. */
export function parseWebhookSettings(options: OptionValues): WebhookSettings | string | undefined {
  const text = options.value("webhook");
  const [stray] = ABOUT_WEBHOOKS.filter((name) => options.has(name));
  if (text === undefined)
    return stray === undefined ? undefined : `--${stray} is about the webhooks: add --webhook ${EXAMPLE}`;
  const address = parseAddress(text);
  if (address === undefined) return `--webhook is '${text}': give an address and a port, such as ${EXAMPLE}`;
  const [lone] = ABOUT_DENY.filter((name) => options.has(name));
  if (lone !== undefined && !options.has("deny")) return `--${lone} is about what is refused: add --deny`;
  const above = options.value("confirm-above");
  if (above !== undefined && !/^\d{1,9}$/.test(above))
    return `--confirm-above is '${above}': give a number of paths, such as 10`;
  return {
    ...address,
    clientAuthorityFile: options.value("webhook-client-ca"),
    deny: options.has("deny")
      ? {
          refuseConflicts: options.has("refuse-conflicts"),
          confirmAbove: above === undefined ? undefined : Number(above),
        }
      : undefined,
    redactsNames: options.has("redact-names"),
  };
}
