/** Requests without a pause, through HTTP and HTTPS listeners, that must all be served. */
import { Agent, request as httpRequest } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

export interface TrafficOptions {
  readonly address: string;
  readonly ports: { readonly http: number; readonly https: number };
  readonly hosts: readonly string[];
  /** The certificate of the authority that signs the certificates of the Gateway. */
  readonly authority: string;
}

export interface Traffic {
  /** The number of requests that were served. */
  readonly served: () => number;
  /** What went wrong, the first of many. */
  readonly failures: () => readonly string[];
  readonly stop: () => Promise<void>;
}

/** Clients of each protocol. Each of the second half opens a connection for every request. */
const CLIENTS = 4;
const PAUSE_MS = 2;
const DEADLINE_MS = 20_000;
const MOST_FAILURES = 20;

export async function startTraffic({ address, ports, hosts, authority }: TrafficOptions): Promise<Traffic> {
  let served = 0;
  let next = 0;
  const failures: string[] = [];
  const stop = new AbortController();
  const startedMs = Date.now();
  const fail = (what: string): void => {
    if (failures.length < MOST_FAILURES) failures.push(`after ${Date.now() - startedMs} ms: ${what}`);
  };
  const work = async (isTls: boolean, keepAlive: boolean): Promise<void> => {
    const agent = isTls ? new TlsAgent({ keepAlive, maxSockets: 1 }) : new Agent({ keepAlive, maxSockets: 1 });
    const send = isTls ? tlsRequest : httpRequest;
    while (!stop.signal.aborted) {
      const host = hosts[next++ % hosts.length] ?? "";
      await new Promise<void>((resolve) => {
        const sent = send(
          {
            host: address,
            port: isTls ? ports.https : ports.http,
            path: "/",
            headers: { host },
            agent,
            ...(isTls ? { ca: authority, servername: host } : {}),
          },
          (response) => {
            let text = "";
            response.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
            response.on("error", (error) => fail(`${host}: ${error.message}`));
            response.on("close", () => {
              if (response.statusCode === 200 && text.startsWith("backend")) served++;
              else fail(`${isTls ? "https" : "http"} ${host}: ${response.statusCode} ${text.slice(0, 200)}`);
              resolve();
            });
          },
        );
        sent.setTimeout(DEADLINE_MS, () => sent.destroy(new Error("no response")));
        sent.on("error", (error) => {
          fail(`${isTls ? "https" : "http"} ${host}, ${keepAlive ? "kept" : "new"} connection: ${error.message}`);
          resolve();
        });
        sent.end();
      });
      await sleep(PAUSE_MS);
    }
    agent.destroy();
  };
  const running = [false, true].flatMap((isTls) =>
    Array.from({ length: CLIENTS }, (_, index) => work(isTls, index < CLIENTS / 2)),
  );
  return {
    served: () => served,
    failures: () => failures,
    stop: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
}
