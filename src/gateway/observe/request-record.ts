/** Collects the data of one request while it is served, for its `RequestFinished` event. */
import type { BackendConfig, PortConfig, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import { findHeader } from "../contract/header-list.ts";
import type { HttpExchange } from "../contract/http-exchange.ts";
import type { RequestHead } from "../contract/request-head.ts";
import type { RequestFinished, RequestFlag } from "./gateway-event.ts";

export class RequestRecord {
  readonly exchange: HttpExchange;
  /** When the first byte of the request arrived. */
  readonly startedMs: number;
  head: RequestHead | undefined;
  /** In front of all trusted proxies. */
  client: string;
  rule: RuleConfig | undefined;
  backend: BackendConfig | undefined;
  status: number | undefined;
  responseBytes = 0;
  attempts = 0;
  reason: string | undefined;
  #flags: readonly RequestFlag[] = [];
  readonly #startedAtMs: number;

  constructor(exchange: HttpExchange, startedMs: number, clock: GatewayClock) {
    this.exchange = exchange;
    this.client = exchange.client;
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
      client: this.client,
      protocol: exchange.protocol,
      gateway,
      port,
      method: head?.method ?? "",
      host: head?.host ?? "",
      path: head?.path ?? "",
      query: head?.query.slice(1) ?? "",
      userAgent: head === undefined ? undefined : findHeader(head.headers, "user-agent"),
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
