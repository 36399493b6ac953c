/** Calls back when files may have changed. It may call back without a change, but never misses one. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface WatchOptions {
  readonly onChange: () => void;
  /** Called if a path cannot be watched. It is polled every few seconds instead. */
  readonly onTrouble: (path: string, reason: string) => void;
  /** How long it waits after the last event before it calls back, because editors write in several steps. */
  readonly quietMs?: number;
  /** The polling interval of paths that cannot be watched. */
  readonly pollMs?: number;
}

export interface PathWatch {
  readonly close: () => void;
}

const QUIET_MS = 50;
const POLL_MS = 2000;

export function watchPaths(paths: readonly string[], options: WatchOptions): PathWatch {
  const { onChange, onTrouble, quietMs = QUIET_MS, pollMs = POLL_MS } = options;
  const watchers = new Set<FSWatcher>();
  const polls = new Set<NodeJS.Timeout>();
  let quiet: NodeJS.Timeout | undefined;
  let isClosed = false;
  const touched = (): void => {
    clearTimeout(quiet);
    if (!isClosed) quiet = setTimeout(onChange, quietMs);
  };
  const poll = (path: string, error: unknown): void => {
    if (isClosed) return;
    onTrouble(path, error instanceof Error ? error.message : String(error));
    // Calls back at every poll, because the reader compares the contents.
    polls.add(setInterval(onChange, pollMs));
  };
  for (const path of paths) {
    try {
      const { folder, only } = folderOf(path);
      const watcher = watch(folder, { recursive: only === undefined }, (_, name) => {
        if (only === undefined || name === null || name === only) touched();
      });
      watcher.on("error", (error) => {
        watchers.delete(watcher);
        watcher.close();
        poll(path, error);
      });
      watchers.add(watcher);
    } catch (error) {
      poll(path, error);
    }
  }
  return {
    close: () => {
      isClosed = true;
      clearTimeout(quiet);
      for (const watcher of watchers) watcher.close();
      for (const timer of polls) clearInterval(timer);
    },
  };
}

/** Watches the folder of a file, because editors replace the file. */
function folderOf(path: string): { readonly folder: string; readonly only: string | undefined } {
  return statSync(path).isDirectory()
    ? { folder: path, only: undefined }
    : { folder: dirname(path), only: basename(path) };
}
