/** True if the address is reachable from this machine only. */
export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.");
