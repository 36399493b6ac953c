const ENOUGH = 65_536;

/** Called when a stream cannot be written. Later output to that stream is dropped. */
export type WriteFailed = (stream: NodeJS.WritableStream, error: Error) => void;

/**
 * Buffers lines and writes them together, in the order of both streams. A closed pipe (`| head`) is not an error: the remaining output is
 * dropped, and `onClosed` is called. Any other failure is reported once for each stream.
 */
export function createWriter(
  onFailure: WriteFailed,
  onClosed: () => void = () => undefined,
): (stream: NodeJS.WritableStream, text: string) => void {
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
      if (error.code === "EPIPE") onClosed();
      else onFailure(stream, error);
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
