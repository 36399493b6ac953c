/** Asks the authorization server of an ExternalAuth filter over HTTP. */
import { AUTH_OWN_HEADERS } from "../../core/dataplane/auth-headers.ts";
import type { AuthConfig } from "../../core/dataplane/gateway-config.ts";
import type { GatewayTimer } from "../contract/gateway-clock.ts";
import { type HeaderList, withoutHeaders } from "../contract/header-list.ts";
import type { RequestHead } from "../contract/request-head.ts";
import type { AttemptSink, ResponseHead, RunningAttempt } from "../contract/upstream.ts";
import type { BackendLookup } from "../upstream/backend-lookup.ts";
import type { ServingContext } from "./serving-context.ts";

export type AuthOutcome =
  /** The request's headers, with those that the server has added. */
  | { readonly state: "allowed"; readonly headers: HeaderList }
  /** The response of the server, for the client. */
  | { readonly state: "denied"; readonly status: number; readonly headers: HeaderList; readonly body: Buffer }
  /** The server did not respond, or could not decide. */
  | { readonly state: "failed"; readonly reason: string };

export interface AuthRequest {
  readonly head: RequestHead;
  readonly authority: string;
  /** The headers of the request before filters. */
  readonly headers: HeaderList;
}

/** The longest body of a response that denies. */
const MOST_BODY_BYTES = 65_536;

/** Calls `onOutcome` once, and never before it returns, unless the result is cancelled. */
export function askAuthorization(
  { upstreams, clock, limits }: Pick<ServingContext, "upstreams" | "clock" | "limits">,
  lookup: BackendLookup,
  auth: AuthConfig,
  request: AuthRequest,
  onOutcome: (outcome: AuthOutcome) => void,
): { readonly cancel: () => void } | string {
  const { backend } = auth;
  const endpoint = upstreams.pick(backend.endpoints, lookup.endpointsOf(backend.endpoints), []);
  if (endpoint === undefined) return "the authorization server has no endpoints";
  const tls = lookup.tlsOf(backend);
  if (tls.state === "unusable") return tls.message;
  const upstream = upstreams.get(backend.protocol, endpoint, tls.state === "tls" ? tls.tls : undefined);
  let timer: GatewayTimer | undefined;
  const response = new AuthResponse(auth, request.headers, (outcome) => {
    timer?.cancel();
    onOutcome(outcome);
  });
  const running = upstream.send(checkRequest(auth, request), response);
  response.running = running;
  timer = clock.startTimer(limits.authMs, () => {
    running.cancel();
    response.fail("the authorization server took too long");
  });
  return {
    cancel: () => {
      timer?.cancel();
      running.cancel();
    },
  };
}

/**
 * The request to an authorization server
 *
 * The server gets method, host and path of the request, the path after the configured prefix, `Authorization`, and the headers that the
 * filter allows. It gets no body.
 * Gateway API, "HTTPAuthConfig"
 */
function checkRequest({ path, allowedHeaders }: AuthConfig, { head, authority, headers }: AuthRequest) {
  const allowed = new Set(["authorization", ...allowedHeaders]);
  const sent: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    if (allowed.has(name)) sent.push(name, headers[i + 1] ?? "");
  }
  return {
    method: head.method,
    authority,
    path: `${path}${head.path}${head.query}`,
    headers: withoutHeaders(sent, BODY_HEADERS),
    contentLength: 0,
    body: undefined,
    upgrade: undefined,
    takesTrailers: false,
  };
}

const BODY_HEADERS: ReadonlySet<string> = new Set(["content-length", "expect", "host"]);

class AuthResponse implements AttemptSink {
  running: RunningAttempt | undefined;
  readonly #auth: AuthConfig;
  readonly #headers: HeaderList;
  readonly #onOutcome: (outcome: AuthOutcome) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #denial: ResponseHead | undefined;
  #isDecided = false;

  constructor(auth: AuthConfig, headers: HeaderList, onOutcome: (outcome: AuthOutcome) => void) {
    this.#auth = auth;
    this.#headers = headers;
    this.#onOutcome = onOutcome;
  }

  fail(reason: string): void {
    this.#decide({ state: "failed", reason });
  }

  onHints(): void {}

  /** A server that responds with an error could not decide. */
  onHead(head: ResponseHead): void {
    if (head.status >= 500) this.fail(`the authorization server responded with ${head.status}`);
    else if (head.status === 200) this.#decide({ state: "allowed", headers: this.#withAdded(head.headers) });
    else this.#denial = head;
  }

  onData(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > MOST_BODY_BYTES) {
      this.running?.cancel();
      this.fail("the response of the authorization server is too long");
    } else if (!this.#isDecided) this.#chunks.push(Buffer.from(chunk));
    return true;
  }

  onEnd(): void {
    if (this.#denial === undefined) return this.fail("the authorization server did not respond");
    const { status, headers } = this.#denial;
    this.#decide({ state: "denied", status, headers: endToEnd(headers), body: Buffer.concat(this.#chunks) });
  }

  onFail({ message }: { readonly message: string }): void {
    this.fail(message);
  }

  onUpgrade(_: ResponseHead, connection: { readonly destroy: () => void }): void {
    connection.destroy();
    this.fail("the authorization server switched protocols");
  }

  #decide(outcome: AuthOutcome): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#onOutcome(outcome);
  }

  #withAdded(received: HeaderList): HeaderList {
    const { allowedResponseHeaders } = this.#auth;
    const added: string[] = [];
    for (let i = 0; i < received.length; i += 2) {
      const name = received[i] ?? "";
      const isAllowed = allowedResponseHeaders.length === 0 || allowedResponseHeaders.includes(name);
      if (isAllowed && !isOwnHeader(name)) added.push(name, received[i + 1] ?? "");
    }
    if (added.length === 0) return this.#headers;
    const names = new Set(added.filter((_, index) => index % 2 === 0));
    return [...withoutHeaders(this.#headers, names), ...added];
  }
}

const OWN_HEADER = new RegExp(`^(?:${AUTH_OWN_HEADERS}|x-envoy-.+)$`);

const isOwnHeader = (name: string): boolean => OWN_HEADER.test(name);

const endToEnd = (headers: HeaderList): HeaderList => withoutHeaders(headers, NOT_FOR_CLIENTS);

const NOT_FOR_CLIENTS: ReadonlySet<string> = new Set([
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "host",
]);
