import { watchPaths } from "../adapters/files/watch-paths.ts";

export interface WatchFilesOptions {
  readonly paths: readonly string[];
  /** False: only SIGHUP causes a refresh. */
  readonly isWatching: boolean;
  readonly note: (message: string) => void;
}

/** Files that are watched from the beginning, so that a change during the first load is not missed. */
export interface WatchedFiles {
  /**
   * Calls `refresh` for changes since the watch began, when a file changes, and on SIGHUP. Resolves when the signal is aborted, rejects when
   * `refresh` does, which happens only for internal errors. Ends the watch.
   */
  readonly follow: (refresh: () => Promise<void>, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** Watches files. Changes are remembered until `follow` is called, and paths that cannot be watched are reported then. */
export function watchFiles({ paths, isWatching, note }: WatchFilesOptions): WatchedFiles {
  const troubles: string[] = [];
  let isChanged = false;
  let onChange = (): void => {
    isChanged = true;
  };
  let onTrouble = (message: string): void => void troubles.push(message);
  const watch = watchPaths(isWatching ? paths.filter((path) => path !== "-") : [], {
    onChange: () => onChange(),
    onTrouble: (path, reason) => onTrouble(`${path} cannot be watched (${reason}): it is read every few seconds`),
  });
  return {
    follow: (refresh, signal) =>
      new Promise<void>((resolve, reject) => {
        onChange = () => void refresh().catch(reject);
        onTrouble = note;
        const hangup = (): void => onChange();
        const end = (): void => {
          process.off("SIGHUP", hangup);
          watch.close();
          resolve();
        };
        process.on("SIGHUP", hangup);
        if (signal.aborted) end();
        else signal.addEventListener("abort", end, { once: true });
        for (const message of troubles) note(message);
        if (isChanged) onChange();
      }),
    close: () => watch.close(),
  };
}
