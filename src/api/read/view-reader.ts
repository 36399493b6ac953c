import type { ReviewedUser } from "../../adapters/cluster/client/reviews.ts";
import type { JsonObject } from "../../core/model/json.ts";
import type { ObjectId } from "../../core/model/refs.ts";
import type { ViewContext } from "../../core/view/view-context.ts";
import type { ViewResource } from "../../core/view/view-resources.ts";
import type { AccessReviews } from "../rights/access-reviews.ts";

/** Everything needed to read a view: the evaluation, the resource, and the user with their rights. */
export interface ViewReader {
  readonly context: ViewContext;
  readonly resource: ViewResource;
  readonly user: ReviewedUser;
  readonly reviews: AccessReviews;
  /** Reads policies with their managed fields. Undefined: it was not asked how values were written. */
  readonly loadWhole?: ((ids: readonly ObjectId[]) => Promise<ReadonlyMap<ObjectId, JsonObject>>) | undefined;
}
