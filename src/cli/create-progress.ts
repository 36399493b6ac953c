import type { CliIo } from "./io.ts";

export interface Progress {
  readonly file: (file: string, sizeBytes: number) => void;
  readonly end: () => void;
}

/** Work shorter than this needs no company. */
const QUIET_MS = 400;
const LARGE_BYTES = 2 * 1024 * 1024;

/** One line on a terminal that is overwritten, and gone at the end; nothing at all in a pipe. */
export function createProgress(io: Pick<CliIo, "isTerminal" | "now" | "stderr">): Progress {
  if (!io.isTerminal.stderr) return { file: () => undefined, end: () => undefined };
  const started = io.now();
  let files = 0;
  let isShown = false;
  return {
    file: (_file, sizeBytes) => {
      files++;
      if (io.now() - started < QUIET_MS && sizeBytes < LARGE_BYTES) return;
      isShown = true;
      io.stderr(`\r\u001b[Kreading file ${files} …`);
    },
    end: () => {
      if (isShown) io.stderr("\r\u001b[K");
    },
  };
}
