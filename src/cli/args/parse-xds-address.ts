import type { XdsAddress } from "../../core/envoy/xds-address.ts";
import { parsePort } from "./parse-port.ts";

/** `host:port`, `[::1]:port`, `unix:PATH`. */
export function parseXdsAddress(text: string): XdsAddress | undefined {
  if (text.startsWith("unix:")) return text === "unix:" ? undefined : { socketPath: text.slice("unix:".length) };
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = parsePort(digits);
  return host === undefined || port === undefined ? undefined : { host, port };
}
