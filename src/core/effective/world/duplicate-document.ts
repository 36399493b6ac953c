import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";

/** A document for an object that another document, earlier by position, describes too. */
export interface DuplicateDocument {
  /** The object as it was read. */
  readonly object: KubeObject;
  readonly refusal: readonly Finding[] | undefined;
  readonly finding: Finding;
}
