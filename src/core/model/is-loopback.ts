/** Whether whoever listens there is heard on this machine alone. */
export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.");
