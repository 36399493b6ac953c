import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";

/** A document for an object that another document, first in place, describes as well. */
export interface Double {
  /** As it came; of a refused one just its name and place. */
  readonly object: KubeObject;
  readonly refusal: readonly Finding[] | undefined;
  readonly finding: Finding;
}
