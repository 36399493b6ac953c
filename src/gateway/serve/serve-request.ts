/** Serves one request: finds its rule, then forwards it, redirects it, or sends a response of the gateway. */
import type {
  AuthConfig,
  RedirectConfig,
  RuleConfig,
  WeightedBackendConfig,
} from "../../core/dataplane/gateway-config.ts";
import { OWN_HEADERS } from "../../core/dataplane/own-headers.ts";
import { unavailableStatus } from "../../core/dataplane/unavailable-status.ts";
import { lacksAuth } from "../../core/embedded/embedded-limits.ts";
import { formatRef } from "../../core/model/refs.ts";
import type { HttpRequest } from "../../core/routing/match-request.ts";
import { type HeaderList, headerText, joinHeaders, withoutHeaders } from "../contract/header-list.ts";
import type { IncomingRequest } from "../contract/http-exchange.ts";
import type { RequestHead } from "../contract/request-head.ts";
import { corsHeaders, findCors, preflightHeaders } from "../filters/cors-headers.ts";
import { redirectLocation } from "../filters/redirect-location.ts";
import { changeResponseHeaders, rewriteRequest } from "../filters/rewrite-request.ts";
import type { RequestFlag } from "../observe/gateway-event.ts";
import { RequestRecord } from "../observe/request-record.ts";
import { type AuthOutcome, askAuthorization } from "./external-auth.ts";
import { identifyClient } from "./forwarded-headers.ts";
import { Forwarding, type ForwardTarget } from "./forwarding.ts";
import { type LocalResponse, sendLocalResponse } from "./local-response.ts";
import { chooseMirrors, type MirrorFilter } from "./mirror-request.ts";
import { pickBackend } from "./pick-backend.ts";
import { findListener, isMisdirected, type PreparedPort } from "./prepared-port.ts";
import type { ServingContext } from "./serving-context.ts";
import { hasSessions } from "./sessions.ts";

export function serveRequest(context: ServingContext, port: PreparedPort, incoming: IncomingRequest): void {
  const record = new RequestRecord(incoming.exchange, incoming.startedMs, context.clock);
  const serving = new Serving(context, port, record);
  try {
    serving.serve(incoming);
  } catch (error) {
    serving.fail(error);
  }
}

const NO_MIRRORS: readonly MirrorFilter[] = [];

class Serving {
  readonly #context: ServingContext;
  readonly #port: PreparedPort;
  readonly #record: RequestRecord;
  /** The headers of the request for its backend, before filters. */
  #headers: HeaderList = [];
  #isFinished = false;

  constructor(context: ServingContext, port: PreparedPort, record: RequestRecord) {
    this.#context = context;
    this.#port = port;
    this.#record = record;
  }

  serve({ exchange, read, serverName }: IncomingRequest): void {
    if (read.state === "refused") {
      return this.#respond("BadRequest", { status: read.status, message: read.message, isLast: true });
    }
    const { head } = read;
    this.#record.head = head;
    const listener = findListener(this.#port, head.host);
    if (isMisdirected(this.#port, listener, exchange.isSecure ? serverName : undefined)) {
      return this.#respond("BadRequest", { status: 421, message: "the TLS server name belongs to another listener" });
    }
    const { client, headers } = identifyClient(head, exchange, this.#context.trustedHops);
    this.#record.client = client;
    const route = listener && this.#port.routes.find(listener, new RoutedRequest(head, headers));
    if (route === undefined) return this.#respond("NoRoute", { status: 404, message: "no route matches" });
    this.#record.rule = route.rule;
    this.#headers = headers;
    this.#applyRule(head, route.rule);
  }

  fail(error: unknown): void {
    this.#record.reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (this.#record.status === undefined)
      return this.#respond("Unavailable", { status: 500, message: "internal error" });
    this.#record.exchange.cut();
    this.#finish();
  }

  #applyRule(head: RequestHead, rule: RuleConfig): void {
    const cors = findCors(rule.filters);
    const preflight = cors && preflightHeaders(cors, head);
    if (preflight !== undefined) return this.#respond(undefined, { status: 204, message: "", headers: preflight });
    if (rule.filters.some(lacksAuth)) return this.#respondUnavailable(rule, 500, "ExternalAuth is not carried out");
    const auth = rule.filters.find((filter) => filter.type === "ExternalAuth");
    if (auth === undefined) this.#act(head, rule);
    else this.#authorize(head, rule, auth);
  }

  #authorize(head: RequestHead, rule: RuleConfig, auth: AuthConfig): void {
    const { exchange } = this.#record;
    const request = { head, authority: authorityOf(head), headers: this.#headers };
    const asked = askAuthorization(this.#context, this.#port.lookup, auth, request, (outcome) => {
      exchange.onGone = () => {};
      try {
        this.#takeAuthorization(head, rule, outcome);
      } catch (error) {
        this.fail(error);
      }
    });
    if (typeof asked === "string") return this.#takeAuthorization(head, rule, { state: "failed", reason: asked });
    exchange.onGone = () => {
      asked.cancel();
      this.#record.flag("ClientGone");
      this.#finish();
    };
  }

  #takeAuthorization(head: RequestHead, rule: RuleConfig, outcome: AuthOutcome): void {
    switch (outcome.state) {
      case "allowed":
        this.#headers = outcome.headers;
        return this.#act(head, rule);
      case "denied":
        return this.#deny(head, outcome);
      case "failed":
        this.#record.reason = outcome.reason;
        return this.#respond("Denied", {
          status: 403,
          message: `${formatRef(rule.route)} (${rule.rule}): the request could not be authorized`,
          headers: this.#debugHeaders(),
        });
    }
  }

  /** The response of the authorization server. */
  #deny(head: RequestHead, { status, headers, body }: Extract<AuthOutcome, { readonly state: "denied" }>): void {
    const { exchange } = this.#record;
    const sent = head.method === "HEAD" ? 0 : body.length;
    this.#record.flag("Denied");
    this.#record.status = status;
    this.#record.responseBytes = sent;
    const length = status === 204 || status === 304 ? [] : ["content-length", String(body.length)];
    exchange.sendHead({ status, statusText: "", headers: [...headers, ...length], isLast: false });
    if (sent > 0) exchange.write(body);
    exchange.end([]);
    this.#finish();
  }

  #act(head: RequestHead, rule: RuleConfig): void {
    const { action } = rule;
    switch (action.type) {
      case "Forward":
        return this.#forward(head, rule, action.backends);
      case "Redirect":
        return this.#redirect(head, rule, action.redirect);
      case "Respond":
        return this.#respondUnavailable(rule, unavailableStatus(rule), action.reason);
    }
  }

  #redirect(head: RequestHead, rule: RuleConfig, redirect: RedirectConfig): void {
    const { port, protocol } = this.#port.config;
    const location = redirectLocation(redirect, head, { scheme: protocol === "TLS" ? "https" : "http", port });
    const headers = changeResponseHeaders(["location", location], rule.filters);
    this.#respond(undefined, { status: redirect.status, message: "", headers: [...headers, ...this.#debugHeaders()] });
  }

  #forward(head: RequestHead, rule: RuleConfig, backends: readonly WeightedBackendConfig[]): void {
    const { clock } = this.#context;
    const session = hasSessions(backends)
      ? this.#context.sessions.find(backends, { head, lookup: this.#port.lookup, nowMs: clock.wallClockMs() })
      : undefined;
    const { target } = session?.backend ?? pickBackend(backends, clock.random());
    if (target.type === "Unavailable") return this.#respondUnavailable(rule, unavailableStatus(rule), target.reason);
    this.#record.backend = target.backend;
    const found = this.#port.lookup.tlsOf(target.backend);
    if (found.state === "unusable") return this.#respondUnavailable(rule, 503, found.message);
    const forwarding = new Forwarding(
      {
        context: this.#context,
        lookup: this.#port.lookup,
        record: this.#record,
        head,
        rule,
        target,
        endpoint: session?.endpoint,
        request: this.#forwardedRequest(head, rule, target),
        mirrors: head.upgrade === undefined ? this.#mirrors(rule, target) : [],
        changeResponse: ({ headers }) => this.#responseHeaders(head, rule, target, headers),
        onFinished: () => this.#finish(),
      },
      found.state === "tls" ? found.tls : undefined,
    );
    forwarding.start();
  }

  #mirrors({ filters }: RuleConfig, target: ForwardTarget): readonly MirrorFilter[] {
    if (filters.length === 0 && target.filters.length === 0) return NO_MIRRORS;
    return chooseMirrors([...filters, ...target.filters], this.#context.clock.random);
  }

  #forwardedRequest(
    head: RequestHead,
    { filters }: RuleConfig,
    target: ForwardTarget,
  ): { readonly authority: string; readonly path: string; readonly headers: HeaderList } {
    const own = {
      authority: authorityOf(head),
      path: head.path,
      headers: this.#headers,
    };
    const { authority, path, headers } = rewriteRequest(rewriteRequest(own, filters), target.filters);
    return { authority, path: head.query === "" ? path : `${path}${head.query}`, headers };
  }

  #responseHeaders(
    head: RequestHead,
    { filters }: RuleConfig,
    target: ForwardTarget,
    received: HeaderList,
  ): HeaderList {
    const headers = withoutOwnHeaders(received, this.#context.debugHeaders);
    if (filters.length === 0 && target.filters.length === 0 && !this.#context.debugHeaders) return headers;
    const changed = changeResponseHeaders(changeResponseHeaders(headers, target.filters), filters);
    const cors = findCors(filters);
    return [...(cors === undefined ? changed : withCors(changed, corsHeaders(cors, head))), ...this.#debugHeaders()];
  }

  #debugHeaders(): HeaderList {
    const { rule, backend, attempts } = this.#record;
    if (!this.#context.debugHeaders || rule === undefined) return [];
    return [
      "x-prevail-route",
      headerText(`${rule.route.namespace}/${rule.route.name}`),
      "x-prevail-rule",
      headerText(rule.rule),
      ...(backend === undefined ? [] : ["x-prevail-backend", headerText(backend.id)]),
      "x-prevail-attempts",
      String(attempts),
    ];
  }

  #respondUnavailable({ route, rule }: RuleConfig, status: number, reason: string): void {
    this.#record.reason = reason;
    this.#respond("Unavailable", {
      status,
      message: `${formatRef(route)} (${rule}): the backend is not available`,
      headers: this.#debugHeaders(),
    });
  }

  #respond(flag: RequestFlag | undefined, response: LocalResponse): void {
    const record = this.#record;
    if (flag !== undefined) {
      record.flag(flag);
      record.reason ??= response.message;
    }
    record.status = response.status;
    record.responseBytes = sendLocalResponse(record.exchange, record.head, response);
    this.#finish();
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const { gateway, config } = this.#port;
    this.#context.emit(this.#record.finished(gateway, config, this.#context.clock.nowMs()));
  }
}

const authorityOf = ({ host, hostPort }: RequestHead): string =>
  hostPort === undefined ? host : `${host}:${hostPort}`;

/** Drops what a backend has no business to say. With `debugHeaders` these are all headers of that prefix. */
function withoutOwnHeaders(headers: HeaderList, debugHeaders: boolean): HeaderList {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    if (!OWN_HEADERS.has(name) && !(debugHeaders && name.startsWith(DEBUG_PREFIX))) continue;
    const own = headers.filter((one, at) => at % 2 === 0 && debugHeaders && one.startsWith(DEBUG_PREFIX));
    return withoutHeaders(headers, new Set([...OWN_HEADERS, ...own]));
  }
  return headers;
}

const DEBUG_PREFIX = "x-prevail-";

/** Replaces the CORS headers of the backend by those of the filter. */
function withCors(headers: HeaderList, cors: HeaderList): HeaderList {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    if (!name.startsWith("access-control-")) kept.push(name, headers[i + 1] ?? "");
  }
  return [...kept, ...cors];
}

/** The request as route matches see it. Headers and query are parsed on first access. */
class RoutedRequest implements HttpRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly #head: RequestHead;
  readonly #headerList: HeaderList;
  #query: HttpRequest["query"] | undefined;
  #headers: HttpRequest["headers"] | undefined;

  constructor(head: RequestHead, headers: HeaderList) {
    this.method = head.method;
    this.host = head.host;
    this.path = head.path;
    this.#head = head;
    this.#headerList = headers;
  }

  get query(): HttpRequest["query"] {
    this.#query ??= [...new URLSearchParams(this.#head.query)];
    return this.#query;
  }

  get headers(): HttpRequest["headers"] {
    this.#headers ??= joinHeaders(this.#headerList);
    return this.#headers;
  }
}
