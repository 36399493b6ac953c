const ENOUGH = 65_536;

/** What was to be written cannot be; whatever comes after it on that stream goes nowhere. */
export type WriteFailed = (stream: NodeJS.WritableStream, error: Error) => void;

/**
 * Lines are gathered and written together, in the order in which they came on both streams. A reader that has seen enough (`| head`) closes the
 * pipe: what is left to say is then of no interest, and no error. Any other failure is told once for each stream.
 */
export function createWriter(onFailure: WriteFailed): (stream: NodeJS.WritableStream, text: string) => void {
  const open = new Map<NodeJS.WritableStream, boolean>();
  let last: NodeJS.WritableStream | undefined;
  let gathered = "";
  const flush = (): void => {
    if (last !== undefined && open.get(last) === true) last.write(gathered);
    gathered = "";
  };
  const watch = (stream: NodeJS.WritableStream): void => {
    open.set(stream, true);
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (open.get(stream) === false) return;
      open.set(stream, false);
      if (error.code !== "EPIPE") onFailure(stream, error);
    });
  };
  return (stream, text) => {
    if (!open.has(stream)) watch(stream);
    if (stream !== last || gathered.length > ENOUGH) flush();
    if (gathered === "") queueMicrotask(flush);
    last = stream;
    gathered += text;
  };
}
