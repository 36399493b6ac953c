/**
 * One request on its way through one backend: attempts, waits, and the one answer that is passed on. When a failed attempt is followed by another
 * is decided by the retry schedule alone; here is only what that takes.
 */

import type { Duplex } from "node:stream";
import type { BackendTarget, Endpoint, RuleConfig } from "../core/dataplane/gateway-config.ts";
import { displayRef } from "../core/model/refs.ts";
import { type BudgetMeter, takeRetry } from "../core/retry/retry-budget.ts";
import { type AttemptOutcome, nextStep } from "../core/retry/retry-schedule.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import type { ClientExchange } from "./client-exchange.ts";
import type { Fields } from "./fields.ts";
import type { GatewayTimer } from "./gateway-clock.ts";
import type { AttemptFinished, RequestFlag } from "./gateway-event.ts";
import { MirrorBody, type MirrorFilter, mirrorRequest } from "./mirror-request.ts";
import { sendOwnAnswer } from "./own-answer.ts";
import { RequestBody } from "./request-body.ts";
import type { RequestHead } from "./request-head.ts";
import type { RequestRecord } from "./request-record.ts";
import type { BackendLookup, ServingContext } from "./serving-context.ts";
import type { AttemptFailure, ResponseHead, Upstream, UpstreamTls } from "./upstream.ts";

export type ForwardTarget = Extract<BackendTarget, { readonly type: "Backend" }>;

export interface ForwardingOptions {
  readonly context: ServingContext;
  readonly lookup: BackendLookup;
  readonly record: RequestRecord;
  readonly head: RequestHead;
  readonly rule: RuleConfig;
  readonly target: ForwardTarget;
  /** As the backend is to get it; the path with the query. */
  readonly request: { readonly authority: string; readonly path: string; readonly fields: Fields };
  readonly mirrors: readonly MirrorFilter[];
  readonly changeResponse: (head: ResponseHead) => Fields;
  readonly onFinished: () => void;
}

export class Forwarding implements AttemptOwner {
  readonly #options: ForwardingOptions;
  readonly #exchange: ClientExchange;
  readonly #mirrors: readonly MirrorFilter[];
  readonly #body: RequestBody | undefined;
  readonly #meters: readonly BudgetMeter[];
  readonly #tls: UpstreamTls | undefined;
  readonly #tried: Endpoint[] = [];
  #current: Attempt | undefined;
  #requestTimer: GatewayTimer | undefined;
  #attemptTimer: GatewayTimer | undefined;
  #waitTimer: GatewayTimer | undefined;
  #hasAnswered = false;
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
      // Its head alone took too long.
      if (leftMs <= 0) return this.#runOutOfTime();
      this.#requestTimer = context.clock.startTimer(leftMs, () => this.guard(() => this.#runOutOfTime()));
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
      quota: context.keptBytes,
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
    const endpoints = lookup.endpointsOf(target.backend.endpoints);
    const endpoint = context.upstreams.pick(target.backend.endpoints, endpoints, this.#tried);
    if (endpoint === undefined) return this.#answerOurselves(503, "NoEndpoints", "the backend has no endpoints");
    record.attempts++;
    this.#tried.push(endpoint);
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
        fields: request.fields,
        contentLength: head.contentLength,
        body: this.#body?.open(),
        upgrade: head.upgrade,
        takesTrailers: head.takesTrailers,
      },
      attempt,
    );
  }

  /** A mistake of ours ends one request, and no other. */
  guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#options.record.reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#stopAttempt();
      this.#cut("Cut", this.#options.record.reason);
    }
  }

  /** The head of an answer is here: it is passed on, or another attempt follows. */
  takeHead(attempt: Attempt, head: ResponseHead): void {
    const next = this.#decide(attempt, { type: "Responded", status: head.status });
    if (next === "Retry") return attempt.discard(this.#options.context.clock);
    this.#pass(attempt, head);
  }

  takeFailure(attempt: Attempt, failure: AttemptFailure): void {
    if (this.#hasAnswered) return this.#cut(failure.type === "TimedOut" ? "BackendTimeout" : "Reset", failure.message);
    if (this.#decide(attempt, { type: failure.type }) === "Retry") return;
    this.#answerFailure(failure.type, failure.message);
  }

  takeData(chunk: Buffer): boolean {
    this.#options.record.responseBytes += chunk.length;
    return this.#exchange.write(chunk);
  }

  takeHints(fields: Fields): void {
    this.#exchange.sendHints(fields);
  }

  takeEnd(trailers: Fields): void {
    this.#exchange.end(trailers);
    this.#finish();
  }

  takeUpgrade(attempt: Attempt, head: ResponseHead, connection: Duplex): void {
    const { record, changeResponse } = this.#options;
    this.#tell(attempt, { type: "Responded", status: head.status }, this.#options.context.clock.nowMs());
    this.#stopTimers();
    this.#hasAnswered = true;
    record.status = head.status;
    record.flag("Upgraded");
    this.#exchange.onGone = () => {};
    this.#exchange.switchProtocols({ ...head, fields: changeResponse(head), isLast: true }, connection, () => {
      this.#finish();
    });
  }

  #decide(attempt: Attempt, outcome: AttemptOutcome): "Retry" | "Respond" {
    const { context, target, head, rule } = this.#options;
    const { clock } = context;
    const nowMs = clock.nowMs();
    this.#tell(attempt, outcome, nowMs);
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
    // What is left of an attempt's time is for the rest of its answer, if that is passed on.
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
        // Without attempts there was nothing to exhaust.
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

  #pass(attempt: Attempt, head: ResponseHead): void {
    const { record, changeResponse } = this.#options;
    this.#hasAnswered = true;
    this.#body?.release();
    attempt.pass();
    record.status = head.status;
    this.#exchange.sendHead({
      status: head.status,
      statusText: head.statusText,
      fields: changeResponse(head),
      isLast: false,
    });
  }

  #timeOutAttempt(attempt: Attempt): void {
    attempt.cancel();
    this.takeFailure(attempt, { type: "TimedOut", message: "the backend took too long" });
  }

  #runOutOfTime(): void {
    this.#stopAttempt();
    if (this.#hasAnswered) return this.#cut("RequestTimeout", "the request took too long");
    this.#answerOurselves(504, "RequestTimeout", "the request took too long");
  }

  #answerFailure(type: AttemptFailure["type"], reason: string): void {
    this.#options.record.reason = reason;
    switch (type) {
      case "NotConnected":
        return this.#answerOurselves(503, type, "the backend cannot be reached");
      case "Refused":
        return this.#answerOurselves(503, type, "the backend refused the request");
      case "Reset":
        return this.#answerOurselves(503, type, "the backend broke off");
      case "TimedOut":
        return this.#answerOurselves(504, "BackendTimeout", "the backend took too long");
    }
  }

  #answerOurselves(status: 503 | 504, flag: RequestFlag, message: string): void {
    const { record, head, rule } = this.#options;
    this.#hasAnswered = true;
    record.status = status;
    record.flag(flag);
    record.reason ??= message;
    const text = `${displayRef(rule.route)} (${rule.rule}): ${message}`;
    const fields = this.#options.changeResponse({ status, statusText: "", fields: [] });
    record.responseBytes = sendOwnAnswer(this.#exchange, head, { status, message: text, fields });
    this.#finish();
  }

  /** The client must see that its answer is not whole. */
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
    if (attempt.cancel() && !this.#hasAnswered) {
      this.#tell(attempt, { type: "Cancelled" }, this.#options.context.clock.nowMs());
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

  #tell({ number, endpoint, startedMs }: Attempt, outcome: AttemptFinished["outcome"], nowMs: number): void {
    const { context, rule, target } = this.#options;
    const durationMs = nowMs - startedMs;
    context.emit({ type: "AttemptFinished", rule, backend: target.backend, endpoint, number, outcome, durationMs });
  }
}
