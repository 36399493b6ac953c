/** The audit log of a kube-apiserver: who asked for what, and how it was answered. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface RequestEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
  readonly userAgent?: string;
  /** When it was completed. */
  readonly stageTimestamp?: string;
  readonly responseStatus?: { readonly code?: number };
  /** Absent for requests that are not about a resource, such as discovery. */
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
}

export interface RequestLog {
  /** Flags for the API server. */
  readonly flags: readonly string[];
  /** Every request so far, in the order in which they were completed. */
  readonly read: () => readonly RequestEvent[];
  readonly close: () => void;
}

export interface RequestLogOptions {
  /** Only these verbs are logged; all if absent. */
  readonly verbs?: readonly string[];
}

const policyFor = ({ verbs }: RequestLogOptions): object => ({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: verbs === undefined ? [{ level: "Metadata" }] : [{ level: "Metadata", verbs }, { level: "None" }],
});

export function createRequestLog(options: RequestLogOptions = {}): RequestLog {
  const folder = mkdtempSync(join(tmpdir(), "prevail-requests-"));
  const policy = join(folder, "policy.json");
  const log = join(folder, "audit.log");
  writeFileSync(policy, JSON.stringify(policyFor(options)));
  return {
    // Written before the response is sent, so that nothing is missing when a test reads the log.
    flags: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, "--audit-log-mode=blocking"],
    read: () => (existsSync(log) ? linesOf(log).map((line) => JSON.parse(line) as RequestEvent) : []),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Whole lines: the last one may be incomplete. */
const linesOf = (log: string): readonly string[] =>
  readFileSync(log, "utf8")
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "");
