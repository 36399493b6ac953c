import type { LoadedDocuments } from "../../sources/load-documents.ts";
import type { LoadedSource } from "../../sources/load-source.ts";

/** The current objects, and the documents that change them. */
export interface PlanDocuments {
  readonly current: LoadedSource;
  readonly documents: LoadedDocuments;
  /** Paths of the documents. If they have no objects, that is a mistake. */
  readonly nonEmpty: readonly string[];
  /** `Whole`: the documents are the complete new state. */
  readonly extent: "Whole" | "Part";
}
