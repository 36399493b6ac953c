import type { Option, OptionValues } from "./option.ts";

/** The option of all commands that configure a gateway. */
export const trustedHopsOption: Option = {
  name: "trusted-hops",
  value: "NUMBER",
  help: "the number of trusted proxies in front of the gateway, whose X-Forwarded-* headers are used (default: 0, those of clients are dropped)",
};

const MAX_HOPS = 100;

/** Returns an error message if it is not a number. */
export function parseTrustedHops(options: OptionValues): number | string {
  const text = options.value(trustedHopsOption.name) ?? "0";
  const hops = /^[0-9]{1,3}$/.test(text) ? Number(text) : MAX_HOPS + 1;
  return hops <= MAX_HOPS
    ? hops
    : `--${trustedHopsOption.name} is '${text}': give the number of trusted proxies, up to ${MAX_HOPS}`;
}
