import { findTextAt, ownValue } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import { hasCertificates } from "./pem.ts";

/** The content that a referenced object must have. */
export interface WantedContent {
  /** Keys of `data`. */
  readonly keys: readonly string[];
  /** `Certificates`: the values of these keys are certificates in PEM. */
  readonly format: "Any" | "Certificates";
}

/** The field of an object that is read by its name and does not exist. No object of the API server has it. */
export const ABSENT = "absent";

/** The content that the object lacks, as the end of a sentence. The content of a Secret is never in a snapshot, so it is not checked. */
export function missingContent({ raw, family }: KubeObject, { keys, format }: WantedContent): string | undefined {
  if (raw[ABSENT] === true) return "does not exist";
  if (family.group === "" && family.kind === "Secret") return undefined;
  for (const key of keys) {
    const text = findTextAt(ownValue(raw, "data"), key);
    if (text === undefined) {
      if (findTextAt(ownValue(raw, "binaryData"), key) === undefined) return `has no key '${key}'`;
    } else if (format === "Certificates" && !hasCertificates(text)) {
      return `is malformed: '${key}' has no certificate in PEM`;
    }
  }
  return undefined;
}
