/** The writes in the audit log of the API server. */
import { createRequestLog, type RequestEvent, type RequestLogOptions } from "./request-log.ts";

/** One write, as the API server completed it. */
export interface AuditedWrite {
  readonly user: string;
  /** `httproutes/status`, `leases`. */
  readonly resource: string;
  readonly name: string;
  readonly code: number;
  readonly completedMs: number;
}

export interface AuditLog {
  /** Flags of the API server. */
  readonly flags: readonly string[];
  /** Marks the end of the log: `writes` returns what comes after it. */
  readonly mark: () => void;
  /** The writes since the mark, without those of Leases. */
  readonly writes: () => readonly AuditedWrite[];
  /** Every request that is logged, also before the mark. */
  readonly read: () => readonly RequestEvent[];
  readonly close: () => void;
}

const READS: ReadonlySet<string> = new Set(["get", "list", "watch"]);

export function createAuditLog(options: RequestLogOptions = {}): AuditLog {
  const { flags, read, close } = createRequestLog(options);
  let begin = 0;
  return {
    flags,
    read,
    close,
    mark: () => {
      begin = read().length;
    },
    writes: () =>
      read()
        .slice(begin)
        .filter(({ verb, objectRef }) => !READS.has(verb) && objectRef?.resource !== "leases")
        .map(writeOf),
  };
}

function writeOf({ user, objectRef = {}, responseStatus, stageTimestamp = "" }: RequestEvent): AuditedWrite {
  const { resource = "", subresource, name = "" } = objectRef;
  return {
    user: user.username,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    name,
    code: responseStatus?.code ?? 0,
    completedMs: Date.parse(stageTimestamp),
  };
}
