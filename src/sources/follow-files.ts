import { watchPaths } from "../adapters/files/watch-paths.ts";

export interface FollowOptions {
  readonly paths: readonly string[];
  /** False: only SIGHUP causes a refresh. */
  readonly isWatching: boolean;
  /** Loads the files again. Rejects only for internal errors. */
  readonly refresh: () => Promise<void>;
  readonly note: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Calls `refresh` when a file changes and on SIGHUP. Resolves when the signal is aborted, rejects when `refresh` does. */
export async function followFiles({ paths, isWatching, refresh, note, signal }: FollowOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onChange = (): void => void refresh().catch(reject);
    const onTrouble = (path: string, reason: string): void =>
      note(`${path} cannot be watched (${reason}): it is read every few seconds`);
    const watched = isWatching ? paths.filter((path) => path !== "-") : [];
    const watch = watchPaths(watched, { onChange, onTrouble });
    process.on("SIGHUP", onChange);
    const end = (): void => {
      process.off("SIGHUP", onChange);
      watch.close();
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
