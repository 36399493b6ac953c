/** Sends copies of requests to mirror backends. Their responses are ignored, and the client does not wait for them. */
import { Readable } from "node:stream";
import type { FilterConfig } from "../../core/dataplane/gateway-config.ts";
import type { GatewayTimer } from "../contract/gateway-clock.ts";
import type { AttemptSink, UpstreamRequest } from "../contract/upstream.ts";
import type { BackendLookup } from "../upstream/backend-lookup.ts";
import type { ServingContext } from "./serving-context.ts";

export type MirrorFilter = Extract<FilterConfig, { readonly type: "RequestMirror" }>;

/** How long a mirrored request may take. */
const MIRROR_MS = 10_000;

/**
 * Request mirrors by fraction
 *
 * A mirror gets a copy of the requests, or of the fraction of them that its filter configures. Responses of mirrors are ignored.
 * Gateway API, "HTTPRequestMirrorFilter"
 */
export function chooseMirrors(filters: readonly FilterConfig[], random: () => number): readonly MirrorFilter[] {
  return filters
    .filter((filter) => filter.type === "RequestMirror")
    .filter(({ numerator, denominator }) => random() * denominator < numerator);
}

/** Buffers the body of a request for its mirrors. A request with a longer body is not mirrored. */
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

  /** Undefined: the body was too long. */
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
    ignoreResponse(finish),
  );
  timer = clock.startTimer(MIRROR_MS, () => {
    running.cancel();
    finish();
  });
}

const ignoreResponse = (onOver: () => void): AttemptSink => ({
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
