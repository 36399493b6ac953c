import type { AdmissionRequest } from "../../core/admission/admission-request.ts";
import { admissionRefusal, admissionSamples, admissionWarnings } from "../../core/admit.ts";
import { buildIndexes } from "../../core/apply.ts";
import type { JsonObject } from "../../core/model/json.ts";
import type { WebhookState } from "./answer-review.ts";

const POLICIES = 16;
/** The process serves the view API, too. */
const MOST_MS = 500;

/**
 * Answers made-up reviews, and drops the answers.
 *
 * The first change of a large cluster builds indexes, and the first reviews run code that is not compiled yet: that takes more time than an API
 * server waits for a warning. So it is done before the first review.
 */
export function warmUp({ evaluation, unread }: WebhookState): void {
  const beganMs = performance.now();
  buildIndexes(evaluation);
  for (const policy of admissionSamples(evaluation, POLICIES)) {
    for (const request of [deletionOf(policy), creationOf(policy)]) {
      admissionWarnings(evaluation, request, { unread });
      admissionRefusal(evaluation, request, { refuseConflicts: true, confirmAbove: undefined });
    }
    if (performance.now() - beganMs > MOST_MS) return;
  }
}

const PLAIN = { subResource: "", user: "" };

const deletionOf = (oldObject: JsonObject): AdmissionRequest => ({
  ...PLAIN,
  operation: "DELETE",
  object: undefined,
  oldObject,
});

const creationOf = (object: JsonObject): AdmissionRequest => ({
  ...PLAIN,
  operation: "CREATE",
  object,
  oldObject: undefined,
});
