/** The audit log of a kube-apiserver: who asked for what, and how it was answered. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface RequestEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
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

const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata" }],
};

export function createRequestLog(): RequestLog {
  const folder = mkdtempSync(join(tmpdir(), "prevail-requests-"));
  const policy = join(folder, "policy.json");
  const log = join(folder, "audit.log");
  writeFileSync(policy, JSON.stringify(POLICY));
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
