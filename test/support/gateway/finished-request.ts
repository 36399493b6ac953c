import type { RequestFinished } from "../../../src/gateway/observe/gateway-event.ts";
import { backendConfig, gatewayRef, rule } from "./gateway-configs.ts";

const bread = backendConfig("bread");
const plain = rule([]);

/** A request that has ended: one attempt, and a response of the backend. */
export const finishedRequest = (more: Partial<RequestFinished> = {}): RequestFinished => ({
  type: "RequestFinished",
  startedAtMs: 0,
  durationMs: 7,
  client: "127.0.0.1",
  protocol: "HTTP/1.1",
  gateway: gatewayRef,
  port: 80,
  method: "GET",
  host: "a.example",
  path: "/",
  query: "",
  userAgent: undefined,
  status: 200,
  responseBytes: 1,
  rule: plain,
  backend: bread,
  attempts: 1,
  flags: [],
  reason: undefined,
  ...more,
});
