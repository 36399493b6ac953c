import type { Option, OptionValues } from "../args/option.ts";
import { parseAddress } from "../args/parse-address.ts";
import type { AdminAddress } from "../cli-io.ts";

export const gatewayAdminOption: Option = {
  name: "gateway-admin",
  value: "[HOST]:PORT",
  repeatable: true,
  help: "add what retries are worth: ask the admin port of a gateway that runs which requests needed one in the last hour (repeatable)",
};

/** Undefined: the option is not given. A text is an error message. */
export function parseGatewayAdmins(options: OptionValues): readonly AdminAddress[] | string | undefined {
  const words = options.values(gatewayAdminOption.name);
  if (words.length === 0) return undefined;
  const addresses: AdminAddress[] = [];
  for (const word of words) {
    const address = parseAddress(/^\d+$/.test(word) ? `:${word}` : word);
    if (address === undefined)
      return `--${gatewayAdminOption.name} ${word} is not an address: use HOST:PORT, or :PORT for this machine`;
    addresses.push(address.host === "0.0.0.0" ? { ...address, host: "127.0.0.1" } : address);
  }
  return addresses;
}
