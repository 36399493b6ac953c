import type { AdmissionRequest } from "../../core/admission/admission-request.ts";
import type { RefusalReason, RefusalSettings } from "../../core/admission/find-refusal.ts";
import type { NameSettings } from "../../core/admission/other-names.ts";
import { admissionRefusal, admissionWarnings } from "../../core/admit.ts";
import type { Evaluation } from "../../core/evaluate.ts";
import type { Finding } from "../../core/model/finding.ts";
import type { RetryKnowledge } from "../../core/retry/retry-counts.ts";
import type { ReviewAnswer } from "./admission-review.ts";

/** The known state of the cluster. */
export interface WebhookState {
  readonly evaluation: Evaluation;
  /** Findings about resources that could not be read. */
  readonly unread: readonly Finding[];
  /** The worth of retries at present. Absent: the controller serves no Gateways. */
  readonly retries?: (() => RetryKnowledge | undefined) | undefined;
}

export type WebhookName = "warn" | "deny";

/** For metrics: `unread`: the cluster has not been read yet. */
export type ReviewOutcome = "allowed" | "warned" | "unread" | RefusalReason;

export interface AnsweredReview {
  readonly answer: ReviewAnswer;
  readonly outcome: ReviewOutcome;
}

const UNREAD = "prevail has not read the cluster yet, so what this changes is not known";

export interface WebhookRules extends NameSettings {
  /** The requests that are refused. Undefined: none. */
  readonly deny: RefusalSettings | undefined;
}

/** Undefined: there is no answer yet, and `failurePolicy` decides. */
export function answerReview(
  webhook: WebhookName,
  request: AdmissionRequest,
  state: WebhookState | undefined,
  { deny, redactsNames = false }: WebhookRules,
): AnsweredReview | undefined {
  switch (webhook) {
    case "warn": {
      if (state === undefined) return { answer: { warnings: [UNREAD] }, outcome: "unread" };
      const warnings = admissionWarnings(state.evaluation, request, {
        unread: state.unread,
        redactsNames,
        retries: state.retries?.(),
      });
      return { answer: { warnings }, outcome: warnings.length === 0 ? "allowed" : "warned" };
    }
    case "deny": {
      if (deny === undefined) return { answer: { warnings: [] }, outcome: "allowed" };
      if (state === undefined) return undefined;
      const refusal = admissionRefusal(state.evaluation, request, { ...deny, redactsNames });
      if (refusal === undefined) return { answer: { warnings: [] }, outcome: "allowed" };
      return { answer: { warnings: [], refusal }, outcome: refusal.reason };
    }
  }
}
