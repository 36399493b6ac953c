import type { CliIo } from "../cli-io.ts";

export interface Progress {
  readonly file: (file: string, sizeBytes: number) => void;
  /** Shows this text in place of the last one. */
  readonly line: (text: string) => void;
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
  if (!io.isTerminal.stderr) return { file: () => undefined, line: () => undefined, end: () => undefined };
  const started = io.now();
  let files = 0;
  let isShown = false;
  const show = (text: string): void => {
    isShown = true;
    io.stderr(`\r\u001b[K${text}`);
  };
  const isShort = (): boolean => io.now() - started < QUIET_MS;
  return {
    file: (_file, sizeBytes) => {
      files++;
      if (!isShort() || sizeBytes >= LARGE_BYTES) show(`reading file ${files} …`);
    },
    line: (text) => {
      if (!isShort()) show(text);
    },
    end: () => {
      if (isShown) io.stderr("\r\u001b[K");
    },
  };
}
