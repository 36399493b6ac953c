import type { JsonObject } from "./json.ts";
import type { ObjectId, ObjectRef } from "./refs.ts";

/** Where a document was read from. Positions never influence a result. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One object of the snapshot: identity parsed, everything else kept as it came (unknown fields included). */
export interface KubeObject {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  readonly apiVersion: string;
  readonly raw: JsonObject;
  readonly source?: SourcePosition;
}
