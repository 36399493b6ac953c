/** A process of its own that follows a cluster, so that its heap has nothing else in it: `node --expose-gc cluster-child.js KUBECONFIG`. */

import { loadLiveCluster } from "../src/sources/cluster/live-cluster.ts";
import { connectCluster } from "../src/sources/cluster/load-cluster.ts";

const heap = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

const [kubeconfig] = process.argv.slice(2);
const ended = new AbortController();
process.stdin.on("data", () => ended.abort());
const connection = await connectCluster({ kubeconfig, env: {}, isInteractive: false, version: "bench" });
const idle = heap();
const source = await loadLiveCluster(connection, { namespaces: [], signal: ended.signal, onTrouble: () => undefined });
// The policies' verdicts are what a server would keep up to date.
source.world.countTallies();
console.log(JSON.stringify({ idle, followed: heap() }));
let objects = 0;
for await (const { changes, after } of source.steps ?? []) {
  objects += changes.length;
  after.world.countTallies();
  console.log(JSON.stringify({ objects }));
}
connection.client.close();
process.exit(0);
