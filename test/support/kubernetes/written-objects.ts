/** The writes of one user in the audit log, by object. */
import type { AuditedWrite, AuditLog } from "./audit-log.ts";

export interface WrittenObjects {
  /** Since the mark of the audit log, by resource and name: `httproutes/status r1`. */
  readonly all: () => ReadonlyMap<string, readonly AuditedWrite[]>;
  readonly succeeded: (key: string) => number;
  /** The keys of written statuses. */
  readonly ofStatus: () => readonly string[];
}

export function writtenBy(audit: AuditLog, wanted: string): WrittenObjects {
  const all = (): ReadonlyMap<string, readonly AuditedWrite[]> => {
    const byObject = new Map<string, AuditedWrite[]>();
    for (const write of audit.writes().filter(({ user }) => user === wanted)) {
      const key = `${write.resource} ${write.name}`;
      byObject.set(key, [...(byObject.get(key) ?? []), write]);
    }
    return byObject;
  };
  return {
    all,
    succeeded: (key) => (all().get(key) ?? []).filter(({ code }) => code < 300).length,
    ofStatus: () => [...all().keys()].filter((key) => key.includes("/status")),
  };
}
