import { createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createTransport } from "./transport.ts";

test("a request ends at its deadline, also while a connection is being opened", async () => {
  const sockets: Socket[] = [];
  // It accepts connections and says nothing: an API server that is stopped, or a host that is overloaded.
  const silent = createServer((socket) => sockets.push(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const transport = createTransport({ server: `https://127.0.0.1:${port}`, env: {}, tls: async () => ({}) });
  const request = { method: "GET", path: "/api", headers: {} };
  const began = performance.now();
  try {
    const late = [100, 200].map((ms) => transport.send({ ...request, signal: AbortSignal.timeout(ms) }));
    for (const one of late) await expect(one).rejects.toMatchObject({ name: "TimeoutError" });
    expect(performance.now() - began).toBeLessThan(5000);
    await expect(transport.send({ ...request, signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
    // Both waited for one connection.
    expect(sockets).toHaveLength(1);
  } finally {
    transport.close();
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => silent.close(() => resolve()));
  }
});
