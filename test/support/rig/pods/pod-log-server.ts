/** The part of a kubelet behind `kubectl logs`: the API server asks for `/containerLogs/NAMESPACE/POD/CONTAINER`. */
import { createServer, type Server } from "node:https";
import { makeAuthority, signCertificate } from "../../../../src/adapters/certificates/make-certificates.ts";
import { NODE_ADDRESS } from "../rig-network.ts";

export const LOG_PORT = 10_250;

export interface LogLine {
  readonly timeMs: number;
  readonly text: string;
}

export interface PodLogServerOptions {
  /** The lines of a container; undefined if there is none of that name. */
  readonly findLog: (namespace: string, pod: string, container: string) => readonly LogLine[] | undefined;
}

export async function startPodLogServer({ findLog }: PodLogServerOptions): Promise<Server> {
  const validity = { nowMs: Date.now(), days: 1 };
  const authority = await makeAuthority({ commonName: "rig-node-ca", ...validity });
  const { certificate, privateKey } = await signCertificate(authority, {
    commonName: "rig-node",
    usage: "Server",
    ...validity,
  });
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const url = new URL(request.url ?? "/", "https://rig-node");
    const [, verb, namespace = "", pod = "", container = ""] = url.pathname.split("/");
    const lines = verb === "containerLogs" ? findLog(namespace, pod, container) : undefined;
    if (lines === undefined) return response.writeHead(404).end("there is no such log\n");
    const since = sinceMs(url.searchParams);
    const wanted = lines.filter(({ timeMs }) => timeMs >= since).map(({ text }) => `${text}\n`);
    return response.writeHead(200, { "content-type": "text/plain" }).end(wanted.join(""));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(LOG_PORT, NODE_ADDRESS, resolve);
  });
  return server;
}

function sinceMs(query: URLSearchParams): number {
  const [time, seconds] = [query.get("sinceTime"), query.get("sinceSeconds")];
  if (time !== null) return Date.parse(time);
  return seconds === null ? 0 : Date.now() - Number(seconds) * 1000;
}
