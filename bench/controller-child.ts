/**
 * The controller as a process of its own: `node --expose-gc controller-child.js KUBECONFIG PORT [XDS-PORT]`. For each line on standard input it prints the
 * heap in use after a collection and the processor time so far; `end` ends it as SIGTERM does.
 */

import { runController } from "../src/serve/controller/serve-controller.ts";
import { allocateYoung } from "../src/serve/process/allocate-young.ts";
import { connectCluster } from "../src/sources/cluster/load-cluster.ts";
import { benchOutput, benchSettings } from "./controller-settings.ts";

allocateYoung();
const [kubeconfig = "", port = "0", xdsPort] = process.argv.slice(2);
const ended = new AbortController();
process.stdin.on("data", (chunk: Buffer) => {
  if (chunk.toString("utf8").includes("end")) return ended.abort();
  globalThis.gc?.();
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ heap: process.memoryUsage().heapUsed, cpuMs: (user + system) / 1000 }));
});
const connection = await connectCluster({ kubeconfig, env: {}, isInteractive: false, version: "bench" });
await runController(
  connection,
  benchSettings(kubeconfig, Number(port), xdsPort === undefined ? undefined : Number(xdsPort)),
  benchOutput((line) => console.log(line)),
  ended.signal,
);
process.exit(0);
