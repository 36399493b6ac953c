/** Requests without end over many connections, and a list of those that went wrong. */
import { Agent, request } from "node:http";

export interface Traffic {
  readonly responses: () => number;
  /** At most a few. */
  readonly failures: () => readonly string[];
  readonly stop: () => Promise<void>;
}

const MOST_FAILURES = 20;

export function startTraffic(port: number, hosts: readonly string[], connections: number): Traffic {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const failures: string[] = [];
  let responses = 0;
  let isStopping = false;
  const ask = (host: string): Promise<string | undefined> =>
    new Promise((resolve) => {
      const one = request(
        { host: "127.0.0.1", port, agent, path: "/", headers: { host }, timeout: 20_000 },
        (response) => {
          let body = "";
          response.setEncoding("utf8");
          response.on("data", (text: string) => {
            body += text;
          });
          response.on("end", () =>
            resolve(response.statusCode === 200 ? undefined : `${response.statusCode} ${body.trim()}`),
          );
          response.on("error", (error) => resolve(error.message));
        },
      );
      one.on("timeout", () => one.destroy(new Error("no response in 20 s")));
      one.on("error", (error) => resolve(error.message));
      one.end();
    });
  const keepAsking = async (from: number): Promise<void> => {
    for (let count = from; !isStopping; count++) {
      const host = hosts[count % hosts.length] ?? "";
      const failure = await ask(host);
      if (failure === undefined) responses++;
      else if (failures.length < MOST_FAILURES) failures.push(`${host}: ${failure}`);
    }
  };
  const workers = Array.from({ length: connections }, (_, index) => keepAsking(index));
  return {
    responses: () => responses,
    failures: () => failures,
    stop: async () => {
      isStopping = true;
      await Promise.all(workers);
      agent.destroy();
    },
  };
}
