/** A server that responds as a test says, over plain HTTP, and a client for it. */
import { createServer, type RequestListener } from "node:http";
import { createKubeClient, type KubeClient } from "../../../src/adapters/cluster/client/kube-client.ts";
import { createCredentials } from "../../../src/adapters/cluster/credentials/credentials.ts";
import { chooseAccess } from "../../../src/adapters/cluster/kubeconfig/cluster-access.ts";
import { parseKubeConfig } from "../../../src/adapters/cluster/kubeconfig/parse-kubeconfig.ts";

export interface PlainServer {
  readonly client: KubeClient;
  readonly close: () => Promise<void>;
}

export async function startPlainServer(respond: RequestListener): Promise<PlainServer> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  const config = {
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${address.port}` } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "" } }],
  };
  const access = chooseAccess(parseKubeConfig(config, "/config"), {}, {});
  const credentials = createCredentials(access, { env: {}, isInteractive: false });
  const client = createKubeClient(access, credentials, { env: {}, userAgent: "test" });
  return {
    client,
    close: () => {
      client.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
