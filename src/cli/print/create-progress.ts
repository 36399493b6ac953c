import type { CliIo } from "../cli-io.ts";

export interface Progress {
  readonly file: (file: string, sizeBytes: number) => void;
  readonly end: () => void;
}

/** Work shorter than this shows no progress. */
const QUIET_MS = 400;
const LARGE_BYTES = 2 * 1024 * 1024;

type ProgressIo = Pick<CliIo, "isTerminal" | "now" | "stderr">;

/** Runs `load` while a line on the terminal counts the files that are read. */
export async function withProgress<T>(io: ProgressIo, load: (onFile: Progress["file"]) => Promise<T>): Promise<T> {
  const progress = createProgress(io);
  try {
    return await load(progress.file);
  } finally {
    progress.end();
  }
}

/** One line on a terminal that is overwritten and removed at the end; nothing in a pipe. */
export function createProgress(io: ProgressIo): Progress {
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
