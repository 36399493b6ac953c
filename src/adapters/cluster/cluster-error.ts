/** A request to a cluster that failed, in words for the person who must act. `message` is one line; hints say what to do. */
export class ClusterError extends Error {
  readonly hints: readonly string[];

  constructor(
    message: string,
    { hints = [], cause }: { readonly hints?: readonly string[]; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "ClusterError";
    this.hints = hints;
  }
}
