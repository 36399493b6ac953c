import type { ReviewedUser } from "../../adapters/cluster/client/reviews.ts";
import type { ViewContext } from "../../core/view/view-context.ts";
import type { ViewResource } from "../../core/view/view-resources.ts";
import type { AccessReviews } from "../rights/access-reviews.ts";

/** What reading a view needs: the evaluation, the resource, and the user with their rights. */
export interface ViewReader {
  readonly context: ViewContext;
  readonly resource: ViewResource;
  readonly user: ReviewedUser;
  readonly reviews: AccessReviews;
}
