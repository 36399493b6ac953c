import type { ListenerConfig } from "./gateway-config.ts";

/** True if the listener forwards connections or datagrams as they are, not as HTTP requests. */
export const isStream = ({ protocol }: Pick<ListenerConfig, "protocol">): boolean =>
  protocol !== "HTTP" && protocol !== "HTTPS";
