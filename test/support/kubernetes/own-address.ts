import { networkInterfaces } from "node:os";

/**
 * An address of this machine that EndpointSlices may have, which refuse those of the loopback. What is sent to it stays on the machine. Undefined if
 * there is none.
 */
export const ownAddress = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

/** Such an address of IPv6. One that is valid on a single link only cannot be an endpoint. */
export const ownAddress6 = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal, address }) => family === "IPv6" && !internal && !/^fe[89ab]/i.test(address))?.address;
