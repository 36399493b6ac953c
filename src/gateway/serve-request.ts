/** From a request that was read to whoever answers it: a rule's backend, or the gateway itself. */
import type { RedirectConfig, RuleConfig, WeightedBackendConfig } from "../core/dataplane/gateway-config.ts";
import { displayRef } from "../core/model/refs.ts";
import type { HttpRequest } from "../core/routing/match-request.ts";
import { changeRequest, changeResponseFields } from "./change-request.ts";
import type { ClientExchange } from "./client-exchange.ts";
import { corsFields, findCors, preflightFields } from "./cors-answer.ts";
import { type Fields, headerText, joinFields } from "./fields.ts";
import { forwardFields } from "./forward-fields.ts";
import { Forwarding, type ForwardTarget } from "./forwarding.ts";
import type { RequestFlag } from "./gateway-event.ts";
import { chooseMirrors, type MirrorFilter } from "./mirror-request.ts";
import { type OwnAnswer, sendOwnAnswer } from "./own-answer.ts";
import { redirectLocation } from "./redirect-answer.ts";
import type { ReadHead, RequestHead } from "./request-head.ts";
import { RequestRecord } from "./request-record.ts";
import { findListener, type ServedPort } from "./served-port.ts";
import type { ServingContext } from "./serving-context.ts";

export interface IncomingRequest {
  readonly exchange: ClientExchange;
  readonly read: ReadHead;
  /** The name that the client asked for when it set up TLS; empty: plain text, or none. */
  readonly serverName: string;
  /** When its first byte came. */
  readonly startedMs: number;
}

export function serveRequest(context: ServingContext, port: ServedPort, incoming: IncomingRequest): void {
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
  readonly #port: ServedPort;
  readonly #record: RequestRecord;
  #isFinished = false;

  constructor(context: ServingContext, port: ServedPort, record: RequestRecord) {
    this.#context = context;
    this.#port = port;
    this.#record = record;
  }

  serve({ exchange, read, serverName }: IncomingRequest): void {
    if (read.state === "refused") {
      return this.#answer("BadRequest", { status: read.status, message: read.message, isLast: true });
    }
    const { head } = read;
    this.#record.head = head;
    const listener = findListener(this.#port, head.host);
    if (exchange.isSecure && listener !== findListener(this.#port, serverName.toLowerCase())) {
      return this.#answer("BadRequest", { status: 421, message: "the connection was made for another host" });
    }
    const route = listener && this.#port.routes.find(listener, new RoutedRequest(head));
    if (listener === undefined || route === undefined) {
      return this.#answer("NoRoute", { status: 404, message: "no route takes this request" });
    }
    this.#record.rule = route.rule;
    this.#follow(head, route.rule);
  }

  fail(error: unknown): void {
    this.#record.reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (this.#record.status === undefined)
      return this.#answer("Unavailable", { status: 500, message: "the gateway failed" });
    this.#record.exchange.cut();
    this.#finish();
  }

  #follow(head: RequestHead, rule: RuleConfig): void {
    const cors = findCors(rule.filters);
    const preflight = cors && preflightFields(cors, head);
    if (preflight !== undefined) return this.#answer(undefined, { status: 204, message: "", fields: preflight });
    const { action } = rule;
    switch (action.type) {
      case "Forward":
        return this.#forward(head, rule, pickBackend(action.backends, this.#context.clock.random()));
      case "Redirect":
        return this.#redirect(head, rule, action.redirect);
      case "Respond":
        return this.#answerUnavailable(rule, action.status, action.reason);
    }
  }

  #redirect(head: RequestHead, rule: RuleConfig, redirect: RedirectConfig): void {
    const { port, protocol } = this.#port.config;
    const location = redirectLocation(redirect, head, { scheme: protocol === "HTTPS" ? "https" : "http", port });
    const fields = changeResponseFields(["location", location], rule.filters);
    this.#answer(undefined, { status: redirect.status, message: "", fields: [...fields, ...this.#debugFields()] });
  }

  #forward(head: RequestHead, rule: RuleConfig, picked: WeightedBackendConfig): void {
    const { target } = picked;
    if (target.type === "Unavailable") return this.#answerUnavailable(rule, target.status, target.reason);
    this.#record.backend = target.backend;
    const found = this.#port.lookup.tlsOf(target.backend);
    if (found.state === "unusable") return this.#answerUnavailable(rule, 503, found.message);
    const forwarding = new Forwarding(
      {
        context: this.#context,
        lookup: this.#port.lookup,
        record: this.#record,
        head,
        rule,
        target,
        request: this.#forwardedRequest(head, rule, target),
        mirrors: head.upgrade === undefined ? this.#mirrors(rule, target) : [],
        changeResponse: ({ fields }) => this.#answerFields(head, rule, target, fields),
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
  ): { readonly authority: string; readonly path: string; readonly fields: Fields } {
    const own = {
      authority: head.hostPort === undefined ? head.host : `${head.host}:${head.hostPort}`,
      path: head.path,
      fields: forwardFields(head, this.#record.exchange, this.#context.forwarded),
    };
    const { authority, path, fields } = changeRequest(changeRequest(own, filters), target.filters);
    return { authority, path: head.query === "" ? path : `${path}${head.query}`, fields };
  }

  #answerFields(head: RequestHead, { filters }: RuleConfig, target: ForwardTarget, fields: Fields): Fields {
    if (filters.length === 0 && target.filters.length === 0 && !this.#context.debugHeaders) return fields;
    const changed = changeResponseFields(changeResponseFields(fields, target.filters), filters);
    const cors = findCors(filters);
    return [...(cors === undefined ? changed : withCors(changed, corsFields(cors, head))), ...this.#debugFields()];
  }

  #debugFields(): Fields {
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

  #answerUnavailable({ route, rule }: RuleConfig, status: number, reason: string): void {
    this.#record.reason = reason;
    this.#answer("Unavailable", {
      status,
      message: `${displayRef(route)} (${rule}): the backend is not available`,
      fields: this.#debugFields(),
    });
  }

  #answer(flag: RequestFlag | undefined, answer: OwnAnswer): void {
    const record = this.#record;
    if (flag !== undefined) {
      record.flag(flag);
      record.reason ??= answer.message;
    }
    record.status = answer.status;
    record.responseBytes = sendOwnAnswer(record.exchange, record.head, answer);
    this.#finish();
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const { gateway, config } = this.#port;
    this.#context.emit(this.#record.finished(gateway, config, this.#context.clock.nowMs()));
  }
}

/** The gateway decides on cross-origin requests, whatever the backend says. */
function withCors(fields: Fields, cors: Fields): Fields {
  const kept: string[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? "";
    if (!name.startsWith("access-control-")) kept.push(name, fields[i + 1] ?? "");
  }
  return [...kept, ...cors];
}

/** By weight. */
function pickBackend(backends: readonly WeightedBackendConfig[], random: number): WeightedBackendConfig {
  const [only] = backends;
  if (only === undefined) throw new Error("a rule that forwards has no backend");
  if (backends.length === 1) return only;
  let left = random * backends.reduce((sum, { weight }) => sum + weight, 0);
  for (const one of backends) {
    left -= one.weight;
    if (left < 0) return one;
  }
  return only;
}

/** What routes look at. Headers and query are taken apart only if one asks. */
class RoutedRequest implements HttpRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly #head: RequestHead;
  #query: HttpRequest["query"] | undefined;
  #headers: HttpRequest["headers"] | undefined;

  constructor(head: RequestHead) {
    this.method = head.method;
    this.host = head.host;
    this.path = head.path;
    this.#head = head;
  }

  get query(): HttpRequest["query"] {
    this.#query ??= [...new URLSearchParams(this.#head.query)];
    return this.#query;
  }

  get headers(): HttpRequest["headers"] {
    this.#headers ??= joinFields(this.#head.fields);
    return this.#headers;
  }
}
