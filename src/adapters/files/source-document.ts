/** A position in a text; line and column count from 1, columns in UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * One object as it was written. `value` is plain JSON data, but through aliases two nodes may share one object, so it must
 * not be written to. A list (`kind: List`, `HTTPRouteList`) never appears: its items do, each at its own position.
 */
export interface SourceDocument extends Position {
  readonly value: unknown;
  readonly file: string;
  /** Where the value at a JSON pointer (RFC 6901) is written; where it is absent, its nearest ancestor that exists. */
  readonly locate: (pointer: string) => Position;
}
