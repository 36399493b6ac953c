/** Forwards one request to a backend: makes attempts, waits between them, and forwards one response. `core/retry` decides about retries. */
import type { Duplex } from "node:stream";
import type { BackendTarget, Endpoint, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import { formatRef } from "../../core/model/refs.ts";
import { type BudgetMeter, takeRetry } from "../../core/retry/retry-budget.ts";
import { type AttemptOutcome, nextStep } from "../../core/retry/retry-schedule.ts";
import type { GatewayTimer } from "../contract/gateway-clock.ts";
import type { HeaderList } from "../contract/header-list.ts";
import type { HttpExchange } from "../contract/http-exchange.ts";
import type { RequestHead } from "../contract/request-head.ts";
import type { AttemptFailure, ResponseHead, Upstream, UpstreamTls } from "../contract/upstream.ts";
import type { AttemptFinished, RequestFlag } from "../observe/gateway-event.ts";
import type { RequestRecord } from "../observe/request-record.ts";
import type { BackendLookup } from "../upstream/backend-lookup.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import { sendLocalResponse } from "./local-response.ts";
import { MirrorBody, type MirrorFilter, mirrorRequest } from "./mirror-request.ts";
import { RequestBody } from "./request-body.ts";
import type { ServingContext } from "./serving-context.ts";
import { withSession } from "./sessions.ts";

export type ForwardTarget = Extract<BackendTarget, { readonly type: "Backend" }>;

export interface ForwardingOptions {
  readonly context: ServingContext;
  readonly lookup: BackendLookup;
  readonly record: RequestRecord;
  readonly head: RequestHead;
  readonly rule: RuleConfig;
  readonly target: ForwardTarget;
  /** The endpoint of the request's session, for the first attempt. Undefined: it has none. */
  readonly endpoint: Endpoint | undefined;
  /** The request after filters. The path includes the query. */
  readonly request: { readonly authority: string; readonly path: string; readonly headers: HeaderList };
  readonly mirrors: readonly MirrorFilter[];
  readonly changeResponse: (head: ResponseHead) => HeaderList;
  readonly onFinished: () => void;
}

export class Forwarding implements AttemptOwner {
  readonly #options: ForwardingOptions;
  readonly #exchange: HttpExchange;
  readonly #mirrors: readonly MirrorFilter[];
  readonly #body: RequestBody | undefined;
  readonly #meters: readonly BudgetMeter[];
  readonly #tls: UpstreamTls | undefined;
  readonly #usedEndpoints: Endpoint[] = [];
  #current: Attempt | undefined;
  #requestTimer: GatewayTimer | undefined;
  #attemptTimer: GatewayTimer | undefined;
  #waitTimer: GatewayTimer | undefined;
  #hasResponded = false;
  #isOver = false;

  constructor(options: ForwardingOptions, tls: UpstreamTls | undefined) {
    const { context, target, record } = options;
    this.#options = options;
    this.#exchange = record.exchange;
    this.#tls = tls;
    this.#meters = context.budgets.metersOf(target.backend, target.retry);
    this.#mirrors = options.mirrors;
    this.#body = this.#openBody();
  }

  start(): void {
    const { context, rule, record } = this.#options;
    const nowMs = context.clock.nowMs();
    for (const meter of this.#meters) meter.countRequest(nowMs);
    this.#exchange.onGone = () => this.#abandon();
    this.#exchange.onDrain = () => this.#current?.running?.resume();
    if (rule.requestTimeoutMs !== undefined) {
      const leftMs = rule.requestTimeoutMs - (nowMs - record.startedMs);
      // The head of the request took longer than the timeout.
      if (leftMs <= 0) return this.#timeOutRequest();
      this.#requestTimer = context.clock.startTimer(leftMs, () => this.guard(() => this.#timeOutRequest()));
    }
    if (this.#body === undefined && this.#mirrors.length > 0) this.#mirror(undefined);
    this.#startAttempt(nowMs);
  }

  #openBody(): RequestBody | undefined {
    const { context, target } = this.#options;
    const source = this.#exchange.body;
    if (source === undefined) return undefined;
    const mayRetry = (target.retry?.plan.attempts ?? 0) > 0;
    const mirrored = this.#mirrors.length === 0 ? undefined : new MirrorBody(context.limits.maxMirrorBodyBytes);
    return new RequestBody(source, {
      maxBytes: mayRetry ? (target.retry?.maxBodyBytes ?? 0) : 0,
      quota: context.bufferedBytes,
      onStart: () => this.#exchange.sendContinue(),
      onChunk: (chunk) => mirrored?.take(chunk),
      onEnd: () => {
        const whole = mirrored?.whole();
        if (whole !== undefined) this.#mirror(whole);
      },
    });
  }

  #mirror(body: Buffer | undefined): void {
    const { context, lookup, head, request } = this.#options;
    const { method, takesTrailers } = head;
    const copy = { ...request, method, takesTrailers, body, upgrade: undefined };
    for (const mirror of this.#mirrors) mirrorRequest(context, lookup, mirror, copy);
  }

  #startAttempt(nowMs: number): void {
    const { context, lookup, target, record, head, request } = this.#options;
    const { endpoints: id } = target.backend;
    const endpoints = lookup.endpointsOf(id);
    const endpoint = this.#sessionEndpoint() ?? context.upstreams.pick(id, endpoints, this.#usedEndpoints);
    if (endpoint === undefined) return this.#respondLocally(503, "NoEndpoints", "the backend has no endpoints");
    record.attempts++;
    this.#usedEndpoints.push(endpoint);
    const attempt = new Attempt(this, record.attempts, endpoint, nowMs);
    this.#current = attempt;
    if (target.backendRequestTimeoutMs !== undefined) {
      this.#attemptTimer = context.clock.startTimer(target.backendRequestTimeoutMs, () =>
        this.guard(() => this.#timeOutAttempt(attempt)),
      );
    }
    const upstream: Upstream = context.upstreams.get(target.backend.protocol, endpoint, this.#tls);
    attempt.running = upstream.send(
      {
        method: head.method,
        authority: request.authority,
        path: request.path,
        headers: request.headers,
        contentLength: head.contentLength,
        body: this.#body?.open(),
        upgrade: head.upgrade,
        takesTrailers: head.takesTrailers,
      },
      attempt,
    );
  }

  /** The endpoint of the session, for the first attempt. Undefined: there is none, or it is out. */
  #sessionEndpoint(): Endpoint | undefined {
    const { endpoint, context, target } = this.#options;
    if (endpoint === undefined || this.#usedEndpoints.length > 0) return undefined;
    return context.upstreams.isOut(target.backend.endpoints, endpoint) ? undefined : endpoint;
  }

  /** An exception ends only this request. */
  guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#options.record.reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#stopAttempt();
      this.#cut("Cut", this.#options.record.reason);
    }
  }

  /** Forwards the response, or retries. */
  takeHead(attempt: Attempt, head: ResponseHead): void {
    this.#recordHealth(attempt, false);
    const next = this.#decide(attempt, { type: "Responded", status: head.status });
    if (next === "Retry") return attempt.discard(this.#options.context.clock);
    this.#forwardResponse(attempt, head);
  }

  takeFailure(attempt: Attempt, failure: AttemptFailure): void {
    if (failure.type !== "Refused") this.#recordHealth(attempt, true);
    if (this.#hasResponded) return this.#cut(failure.type === "TimedOut" ? "BackendTimeout" : "Reset", failure.message);
    if (this.#decide(attempt, { type: failure.type }) === "Retry") return;
    this.#respondToFailure(failure.type, failure.message);
  }

  takeData(chunk: Buffer): boolean {
    this.#options.record.responseBytes += chunk.length;
    return this.#exchange.write(chunk);
  }

  takeHints(headers: HeaderList): void {
    this.#exchange.sendHints(headers);
  }

  takeEnd(trailers: HeaderList): void {
    this.#exchange.end(trailers);
    this.#finish();
  }

  takeUpgrade(attempt: Attempt, head: ResponseHead, connection: Duplex): void {
    const { record, changeResponse } = this.#options;
    this.#recordHealth(attempt, false);
    this.#emitAttempt(attempt, { type: "Responded", status: head.status }, this.#options.context.clock.nowMs());
    this.#stopTimers();
    this.#hasResponded = true;
    record.status = head.status;
    record.flag("Upgraded");
    this.#exchange.onGone = () => {};
    const headers = this.#withSession(attempt, changeResponse(head));
    this.#exchange.switchProtocols({ ...head, headers, isLast: true }, connection, () => {
      this.#finish();
    });
  }

  #recordHealth({ endpoint }: Attempt, hasFailed: boolean): void {
    const { context, lookup, target } = this.#options;
    const { endpoints: id } = target.backend;
    context.upstreams.record(id, lookup.endpointsOf(id), endpoint, hasFailed);
  }

  #decide(attempt: Attempt, outcome: AttemptOutcome): "Retry" | "Respond" {
    const { context, target, head, rule } = this.#options;
    const { clock } = context;
    const nowMs = clock.nowMs();
    this.#emitAttempt(attempt, outcome, nowMs);
    const step = nextStep({
      plan: target.retry?.plan,
      method: head.method,
      outcome,
      attemptsMade: attempt.number,
      canResend: this.#body === undefined || this.#body.canResend,
      nowMs,
      random: target.retry === undefined ? 0 : clock.random(),
      isWithinBudget: () => takeRetry(this.#meters, nowMs),
    });
    // A forwarded response keeps its timer, because the timeout covers its body too.
    if (step.do === "Retry" || outcome.type !== "Responded") this.#attemptTimer?.cancel();
    if (step.do === "Respond") {
      this.#noteRefusal(step.because);
      return "Respond";
    }
    const waitMs = step.atMs - nowMs;
    const { backend } = target;
    context.emit({ type: "RetryScheduled", rule, backend, reason: outcome, retry: attempt.number, waitMs });
    this.#waitTimer = clock.startTimer(waitMs, () => this.guard(() => this.#startAttempt(clock.nowMs())));
    return "Retry";
  }

  #noteRefusal(because: "Final" | "NotRetried" | "Exhausted" | "BodyNotKept" | "Budget"): void {
    const { context, record, rule, target } = this.#options;
    switch (because) {
      case "Final":
      case "NotRetried":
        return;
      case "Exhausted":
        // With `attempts: 0` there were no retries to exhaust.
        if ((target.retry?.plan.attempts ?? 0) > 0) record.flag("Exhausted");
        return;
      case "BodyNotKept":
        record.flag("BodyNotKept");
        return;
      case "Budget":
        record.flag("Budget");
        context.emit({ type: "BudgetRefused", rule, backend: target.backend });
        return;
    }
  }

  #forwardResponse(attempt: Attempt, head: ResponseHead): void {
    const { record, changeResponse } = this.#options;
    this.#hasResponded = true;
    this.#body?.release();
    attempt.forward();
    record.status = head.status;
    this.#exchange.sendHead({
      status: head.status,
      statusText: head.statusText,
      headers: this.#withSession(attempt, changeResponse(head)),
      isLast: false,
      isWhole: head.isWhole === true,
    });
  }

  /** Names the session in the response, unless the request did. */
  #withSession({ endpoint }: Attempt, headers: HeaderList): HeaderList {
    const { target, context, head, endpoint: known } = this.#options;
    const { session, backend } = target;
    if (session === undefined || endpoint === known) return headers;
    const nowMs = context.clock.wallClockMs();
    return withSession(headers, session, { id: backend.endpoints, endpoint, path: head.path, nowMs });
  }

  #timeOutAttempt(attempt: Attempt): void {
    attempt.cancel();
    this.takeFailure(attempt, { type: "TimedOut", message: "the backend took too long" });
  }

  #timeOutRequest(): void {
    this.#stopAttempt();
    if (this.#hasResponded) return this.#cut("RequestTimeout", "the request took too long");
    this.#respondLocally(504, "RequestTimeout", "the request took too long");
  }

  #respondToFailure(type: AttemptFailure["type"], reason: string): void {
    this.#options.record.reason = reason;
    switch (type) {
      case "NotConnected":
        return this.#respondLocally(503, type, "the backend cannot be reached");
      case "Refused":
        return this.#respondLocally(503, type, "the backend refused the request");
      case "Reset":
        return this.#respondLocally(503, type, "the backend reset the connection");
      case "TimedOut":
        return this.#respondLocally(504, "BackendTimeout", "the backend took too long");
    }
  }

  #respondLocally(status: 503 | 504, flag: RequestFlag, message: string): void {
    const { record, head, rule } = this.#options;
    this.#hasResponded = true;
    record.status = status;
    record.flag(flag);
    record.reason ??= message;
    const text = `${formatRef(rule.route)} (${rule.rule}): ${message}`;
    const headers = this.#options.changeResponse({ status, statusText: "", headers: [] });
    record.responseBytes = sendLocalResponse(this.#exchange, head, { status, message: text, headers });
    this.#finish();
  }

  /** Aborts the response so that the client can detect that it is incomplete. */
  #cut(flag: RequestFlag, reason: string): void {
    const { record } = this.#options;
    record.flag(flag);
    record.flag("Cut");
    record.reason = reason;
    this.#exchange.onGone = () => {};
    this.#exchange.cut();
    this.#finish();
  }

  #abandon(): void {
    this.#options.record.flag("ClientGone");
    this.#stopAttempt();
    this.#finish();
  }

  #stopAttempt(): void {
    const attempt = this.#current;
    if (attempt === undefined) return;
    if (attempt.cancel() && !this.#hasResponded) {
      this.#emitAttempt(attempt, { type: "Cancelled" }, this.#options.context.clock.nowMs());
    }
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopTimers();
    this.#body?.release();
    this.#options.onFinished();
  }

  #stopTimers(): void {
    this.#requestTimer?.cancel();
    this.#attemptTimer?.cancel();
    this.#waitTimer?.cancel();
  }

  #emitAttempt({ number, endpoint, startedMs }: Attempt, outcome: AttemptFinished["outcome"], nowMs: number): void {
    const { context, rule, target } = this.#options;
    const durationMs = nowMs - startedMs;
    context.emit({ type: "AttemptFinished", rule, backend: target.backend, endpoint, number, outcome, durationMs });
  }
}
