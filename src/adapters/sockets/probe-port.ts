import { createServer } from "node:net";

/**
 * The error that opening this address gives now, because another program uses it or it does not exist. Undefined: none. Rights are not judged: the
 * program that is to open the port may have others than this one.
 */
export function probePort({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => {
      const code = "code" in error ? error.code : undefined;
      resolve(code === "EADDRINUSE" || code === "EADDRNOTAVAIL" ? error : undefined);
    });
    server.listen({ host, port, ipv6Only: true, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
