import { isJsonObject, type Json, type JsonObject } from "../../../core/model/json.ts";
import type { AccessField } from "../../compile/compile-access-log.ts";

/** An access log entry of an Envoy, about a request. */
export interface EnvoyRequest {
  readonly type: "Request";
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly client: string;
  readonly protocol: string | undefined;
  /** The port in the configuration. */
  readonly port: number;
  /** Undefined: the bytes were not a valid request. */
  readonly method: string | undefined;
  readonly host: string | undefined;
  readonly path: string | undefined;
  readonly userAgent: string | undefined;
  /** 0: there was no response. */
  readonly status: number;
  readonly responseBytes: number;
  readonly durationMs: number;
  readonly route: string | undefined;
  readonly cluster: string | undefined;
  /** Includes attempts that only wait. */
  readonly attempts: number;
  /** Envoy's response flags: `UF`, `URX`, … */
  readonly flags: readonly string[];
  /** Envoy's response code details. */
  readonly details: string | undefined;
}

/** An access log entry of an Envoy, about a connection that is not HTTP. */
export interface EnvoyConnection
  extends Pick<
    EnvoyRequest,
    "startedAtMs" | "client" | "port" | "durationMs" | "route" | "cluster" | "flags" | "details"
  > {
  readonly type: "Connection";
  readonly serverName: string | undefined;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** An access log entry of an Envoy. */
export type EnvoyAccess = EnvoyRequest | EnvoyConnection;

/** Undefined: the line is not an access log entry. */
export function parseAccessLine(line: string): EnvoyAccess | undefined {
  const entry = parseJson(line);
  if (entry === undefined) return undefined;
  const text = (field: AccessField): string | undefined => {
    const value = entry[field];
    return typeof value === "string" && value !== "-" ? value : undefined;
  };
  const number = (field: AccessField): number => {
    const value = Number(entry[field]);
    return Number.isFinite(value) ? value : 0;
  };
  const common = {
    startedAtMs: number("time") * 1000,
    client: text("client") ?? "",
    port: number("port"),
    durationMs: number("durationMs"),
    route: text("route"),
    cluster: text("cluster"),
    flags: text("flags")?.split(",") ?? [],
    details: text("details"),
  };
  if (entry["connection"] !== undefined) {
    const bytes = { receivedBytes: number("receivedBytes"), sentBytes: number("sentBytes") };
    return { type: "Connection", ...common, serverName: text("serverName"), ...bytes };
  }
  return {
    type: "Request",
    ...common,
    protocol: text("protocol"),
    method: text("method"),
    host: text("host"),
    path: text("path"),
    userAgent: text("userAgent"),
    status: number("status"),
    responseBytes: number("responseBytes"),
    attempts: number("attempts"),
  };
}

function parseJson(line: string): JsonObject | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value = JSON.parse(line) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
