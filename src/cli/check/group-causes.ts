import type { Finding } from "../../core/model/finding.ts";
import type { ObjectRef } from "../../core/model/refs.ts";

type Caused = Pick<Finding, "code" | "severity" | "message"> & { readonly object?: ObjectRef };

/** One cause is one finding: objects of one unknown kind, and documents for one object. The first is shown, with the number of the others. */
export function groupCauses<T extends Caused>(findings: readonly T[]): readonly T[] {
  const counts = new Map<string, number>();
  for (const finding of findings) {
    const cause = causeOf(finding);
    if (cause !== undefined) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  const seen = new Set<string>();
  return findings.flatMap((finding) => {
    const cause = causeOf(finding);
    if (cause === undefined) return [finding];
    if (seen.has(cause)) return [];
    seen.add(cause);
    const others = (counts.get(cause) ?? 1) - 1;
    return [others === 0 ? finding : { ...finding, message: `${finding.message}; ${formatOthers(finding, others)}` }];
  });
}

/** The findings of one cause have the same text. Undefined: every finding has a cause of its own. */
function causeOf({ code, severity, object }: Caused): string | undefined {
  if (object === undefined) return undefined;
  const { group, kind, namespace, name } = object;
  if (code === "DuplicateObject") return [code, severity, group, kind, namespace, name].join("\n");
  return code === "UnknownKind" || code === "UnknownPolicyKind" ? [code, severity, group, kind].join("\n") : undefined;
}

function formatOthers({ code, object }: Caused, others: number): string {
  const more = others === 1 ? "1 more" : `${others} more`;
  if (code === "DuplicateObject") return `${more} ${others === 1 ? "document defines" : "documents define"} it, too`;
  return `${more} ${object?.kind ?? ""} ${others === 1 ? "object is" : "objects are"} ignored, too`;
}
