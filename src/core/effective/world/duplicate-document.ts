import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";

/** A document for an object that another document, earlier by position, describes too. */
export interface DuplicateDocument {
  /** The object as it was read. A refused object has only its identity and its position. */
  readonly object: KubeObject;
  readonly refusal: readonly Finding[] | undefined;
  readonly finding: Finding;
}
