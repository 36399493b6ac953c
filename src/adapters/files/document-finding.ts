/**
 * What can be wrong with input files. Stable names: people filter and test on them.
 *
 * With an *error* the document (or the path) is left out and everything else is still read; a *warning* only tells.
 *
 * | code           | severity | meaning                                                                            |
 * |----------------|----------|------------------------------------------------------------------------------------|
 * | YamlSyntax     | error    | not YAML (or JSON)                                                                 |
 * | DuplicateKey   | error    | one mapping has the same key twice                                                 |
 * | BadKey         | error    | a key that JSON cannot carry: null, a list, a mapping                              |
 * | BadTag         | error    | an explicit tag that does not fit its value, or `!!binary`                         |
 * | BadAlias       | error    | an alias to nothing, or to something that contains it                              |
 * | BadMerge       | error    | `<<` with something that is no mapping                                             |
 * | NotFinite      | error    | `.nan` or `.inf`: JSON has no such number                                          |
 * | NotAnObject    | error    | a document, or an item of a list, that is a scalar or a list                       |
 * | TooDeep        | error    | nested deeper than `maxDepth`                                                      |
 * | TooManyAliases | error    | more than `maxAliases`, or aliases that multiply the data                          |
 * | TooLarge       | error    | a document or file beyond the size limit                                           |
 * | NotUtf8        | error    | a file in some other encoding                                                      |
 * | PathNotFound   | error    | nothing there                                                                      |
 * | PathUnreadable | error    | there, but the system would not let us read it                                     |
 * | UnsafeInteger  | warning  | an integer that a 64-bit float cannot hold exactly                                 |
 * | SurprisingYaml | warning  | read as Kubernetes reads it, which is not what it looks like (`on`, `010`, late `<<`) |
 * | EmptyDirectory | warning  | a directory without any file we would read                                         |
 * | MoreFindings   | warning  | the document has more findings than are shown                                      |
 */
export type DocumentFindingCode =
  | "YamlSyntax"
  | "DuplicateKey"
  | "BadKey"
  | "BadTag"
  | "BadAlias"
  | "BadMerge"
  | "NotFinite"
  | "NotAnObject"
  | "TooDeep"
  | "TooManyAliases"
  | "TooLarge"
  | "NotUtf8"
  | "PathNotFound"
  | "PathUnreadable"
  | "UnsafeInteger"
  | "SurprisingYaml"
  | "EmptyDirectory"
  | "MoreFindings";

/** A finding about the text itself, before anyone asks what the objects mean. Lines and columns count from 1. */
export interface DocumentFinding {
  readonly code: DocumentFindingCode;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
