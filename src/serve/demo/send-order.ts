/** Sends one request of the demo through the embedded gateway and records the attempts that the backends get. */
import { request } from "node:http";
import { createRegex } from "../../adapters/regex/create-regex.ts";
import type { CliIo } from "../../cli/cli-io.ts";
import { compileDataplane } from "../../core/compile.ts";
import { NO_SECRETS } from "../../gateway/contract/secret-source.ts";
import { createDemoBackends } from "../../gateway/demo/demo-backends.ts";
import { createGateway } from "../../gateway/gateway.ts";
import { loadSource } from "../../sources/load-source.ts";

export interface Order {
  readonly files: string;
  readonly host: string;
  /** The port of the listener. */
  readonly port: number;
  readonly path: string;
  /** The response of the backends to each attempt, as in the header `x-demo`. */
  readonly plan: string;
}

export interface SentOrder {
  /** The response status of each attempt, or the type of its failure. */
  readonly attempts: readonly string[];
  readonly status: number;
}

/** Sends one order. The gateway uses free ports, so the demo does not conflict with other programs. */
export async function sendOrder({ files, host, port, path, plan }: Order, io: CliIo): Promise<SentOrder> {
  const { evaluation } = await loadSource([files], io.fileSystem);
  const attempts: string[] = [];
  const demo = createDemoBackends();
  const gateway = createGateway({
    matchRegex: createRegex(),
    bind: () => ({ host: "127.0.0.1", port: 0 }),
    onEvent: (event) => {
      if (event.type !== "AttemptFinished") return;
      attempts.push(event.outcome.type === "Responded" ? String(event.outcome.status) : event.outcome.type);
    },
  });
  try {
    const config = compileDataplane(evaluation, { endpointAnnotations: "Used" });
    await gateway.replace(await demo.replaceEndpoints(config), NO_SECRETS);
    const open = gateway.openPorts().find((one) => one.port === port);
    if (open === undefined) throw new Error(`no listener of ${files} is open at port ${port}`);
    const status = await post(open.boundPort, path, { host, "x-demo": plan });
    return { attempts, status };
  } finally {
    await gateway.close({ drainMs: 0 });
    await demo.close();
  }
}

const PATIENCE_MS = 20_000;

function post(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port, path, method: "POST", agent: false, headers, timeout: PATIENCE_MS },
      (response) => {
        response.resume();
        response.on("error", reject);
        response.on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    asked.on("timeout", () => asked.destroy(new Error(`no response after ${PATIENCE_MS} ms`)));
    asked.on("error", reject);
    asked.end();
  });
}
