/** What is known of one request while it is served: in the end it is what an access log tells. */
import type { BackendConfig, PortConfig, RuleConfig } from "../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../core/model/refs.ts";
import type { ClientExchange } from "./client-exchange.ts";
import { findValue } from "./fields.ts";
import type { GatewayClock } from "./gateway-clock.ts";
import type { RequestFinished, RequestFlag } from "./gateway-event.ts";
import type { RequestHead } from "./request-head.ts";

export class RequestRecord {
  readonly exchange: ClientExchange;
  /** Its first byte. */
  readonly startedMs: number;
  head: RequestHead | undefined;
  rule: RuleConfig | undefined;
  backend: BackendConfig | undefined;
  status: number | undefined;
  responseBytes = 0;
  attempts = 0;
  reason: string | undefined;
  /** Seldom any. */
  #flags: readonly RequestFlag[] = [];
  readonly #startedAtMs: number;

  constructor(exchange: ClientExchange, startedMs: number, clock: GatewayClock) {
    this.exchange = exchange;
    this.startedMs = startedMs;
    this.#startedAtMs = clock.wallClockMs();
  }

  flag(flag: RequestFlag): void {
    if (!this.#flags.includes(flag)) this.#flags = [...this.#flags, flag].sort();
  }

  finished(gateway: ObjectRef, { port }: PortConfig, nowMs: number): RequestFinished {
    const { exchange, head } = this;
    return {
      type: "RequestFinished",
      startedAtMs: this.#startedAtMs,
      durationMs: nowMs - this.startedMs,
      client: exchange.client,
      protocol: exchange.protocol,
      gateway,
      port,
      method: head?.method ?? "",
      host: head?.host ?? "",
      path: head?.path ?? "",
      query: head?.query.slice(1) ?? "",
      userAgent: head === undefined ? undefined : findValue(head.fields, "user-agent"),
      status: this.status,
      responseBytes: this.responseBytes,
      rule: this.rule,
      backend: this.backend,
      attempts: this.attempts,
      flags: this.#flags,
      reason: this.reason,
    };
  }
}
