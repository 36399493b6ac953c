/** How much longer requests take while other clients send their bodies in pieces of one byte. */
import type { Socket } from "node:net";
import type { JsonObject } from "../src/core/model/json.ts";
import { Cleanup, startRawBackend } from "../test/support/gateway/gateway-harness.ts";
import { sendTinyChunks, sendTinyFrames } from "../test/support/gateway/tiny-pieces.ts";
import type { BenchContext } from "./bench-context.ts";
import { type NginxBackend, type Rig, runWrk, startPrevail } from "./gateway-rig.ts";
import { gatewayObjects } from "./gateway-routes.ts";
import { median } from "./measure.ts";

const ROUNDS = 3;
const SECONDS = 2;
/** The number of clients. */
const HOGS = 4;
const CONNECTIONS = 4;
const BAR = 3;

const KINDS = { "chunks of HTTP/1.1": sendTinyChunks, "DATA frames of HTTP/2": sendTinyFrames } as const;

export async function benchPieces(context: BenchContext, rig: Rig, backend: NginxBackend): Promise<void> {
  const cleanup = new Cleanup();
  // Reads everything and never responds.
  const sink = await startRawBackend(cleanup, (socket) => void socket.resume());
  const sinkObjects: readonly JsonObject[] = gatewayObjects({
    routes: 1,
    backendPort: sink.port,
    prefix: "sink",
  }).slice(2);
  const { port } = await startPrevail(rig, "pieces", [
    ...gatewayObjects({ routes: 1, backendPort: backend.port }),
    ...sinkObjects,
  ]);
  const measure = async (): Promise<number> => {
    const question = { port, host: "route-0.example", path: "/path-0", seconds: SECONDS, connections: CONNECTIONS };
    return (await runWrk(rig, question)).medianMs;
  };
  await measure();
  for (const [kind, send] of Object.entries(KINDS)) {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const quietMs = await measure();
      const hogs: readonly Socket[] = Array.from({ length: HOGS }, () =>
        send(port, { host: "sink-0.example", path: "/path-0", bytes: Infinity }),
      );
      ratios.push((await measure()) / quietMs);
      for (const hog of hogs) hog.destroy();
    }
    const metric = `median latency of others, ${HOGS} clients with bodies in one-byte ${kind} / without`;
    context.report({ case: "tiny pieces", metric, value: median(ratios), unit: "x", bar: BAR });
  }
  await cleanup.run();
}
