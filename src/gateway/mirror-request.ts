/** Copies of requests for other backends: sent and forgotten. Whatever becomes of one, the client does not notice. */
import { Readable } from "node:stream";
import type { FilterConfig } from "../core/dataplane/gateway-config.ts";
import type { GatewayTimer } from "./gateway-clock.ts";
import type { BackendLookup, ServingContext } from "./serving-context.ts";
import type { AttemptSink, UpstreamRequest } from "./upstream.ts";

export type MirrorFilter = Extract<FilterConfig, { readonly type: "RequestMirror" }>;

/** Long enough to be of use, and no longer: nobody waits for it. */
const MIRROR_MS = 10_000;

/** Those whose turn it is. */
export function chooseMirrors(filters: readonly FilterConfig[], random: () => number): readonly MirrorFilter[] {
  return filters
    .filter((filter) => filter.type === "RequestMirror")
    .filter(({ numerator, denominator }) => random() * denominator < numerator);
}

/** The body of a request, collected on its way to the backend; a longer one is not mirrored. */
export class MirrorBody {
  readonly #maxBytes: number;
  #chunks: Buffer[] | undefined = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#chunks = undefined;
    this.#chunks?.push(chunk);
  }

  /** Undefined: it was too long. */
  whole(): Buffer | undefined {
    return this.#chunks && Buffer.concat(this.#chunks);
  }
}

export function mirrorRequest(
  context: ServingContext,
  lookup: BackendLookup,
  { backend }: MirrorFilter,
  request: Omit<UpstreamRequest, "body" | "contentLength"> & { readonly body: Buffer | undefined },
): void {
  const { upstreams, clock, mirrors } = context;
  const endpoint = upstreams.pick(backend.endpoints, lookup.endpointsOf(backend.endpoints), []);
  const found = lookup.tlsOf(backend);
  if (endpoint === undefined || found.state === "unusable" || mirrors.running >= mirrors.limit) return;
  mirrors.running++;
  let timer: GatewayTimer | undefined;
  const finish = (): void => {
    timer?.cancel();
    mirrors.running--;
  };
  const { body } = request;
  const upstream = upstreams.get(backend.protocol, endpoint, found.state === "tls" ? found.tls : undefined);
  const running = upstream.send(
    {
      ...request,
      contentLength: body?.length,
      body: body === undefined ? undefined : Readable.from([body]),
      upgrade: undefined,
    },
    forgetAll(finish),
  );
  timer = clock.startTimer(MIRROR_MS, () => {
    running.cancel();
    finish();
  });
}

const forgetAll = (onOver: () => void): AttemptSink => ({
  onHints: () => {},
  onHead: () => {},
  onData: () => true,
  onEnd: onOver,
  onFail: onOver,
  onUpgrade: (_, connection) => {
    connection.destroy();
    onOver();
  },
});
