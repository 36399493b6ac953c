import type { JsonObject } from "../../../src/core/model/json.ts";
import { integer, list, object, text } from "./crd-document.ts";

const condition = (types: string): JsonObject =>
  object(
    "One condition.",
    {
      type: text(types, { maxLength: 316 }),
      status: text("Whether the condition is true.", { enum: ["True", "False", "Unknown"] }),
      reason: text("One word.", { maxLength: 1024 }),
      message: text("For people.", { maxLength: 32_768 }),
      observedGeneration: integer("The generation that this is about.", { format: "int64", minimum: 0 }),
      lastTransitionTime: text("When the status changed last.", { format: "date-time" }),
    },
    { required: ["type", "status", "reason", "message", "lastTransitionTime"] },
  );

/** A list of conditions. `types`: which there are. */
export const conditions = (types: string): JsonObject =>
  list("The conditions.", condition(types), {
    maxItems: 8,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
  });
