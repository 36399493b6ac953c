import { parsePort } from "./parse-port.ts";

/** `127.0.0.1:8443`, `[::]:8443`, `:8443`. */
export function parseAddress(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, portText = ""] = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(text) ?? [];
  const port = parsePort(portText);
  if (port === undefined) return undefined;
  const host = bracketed ?? plain ?? "";
  return { host: host === "" ? "0.0.0.0" : host, port };
}
