import { watchPaths } from "../adapters/files/watch-paths.ts";
import type { ServeSettings, ServeSpeech } from "../cli/serve-settings.ts";
import type { ControlLoop } from "../controller/control-loop.ts";

/** Resolves when the program is to stop; rejects for mistakes of ours. SIGHUP looks at once, also where nothing is watched. */
export async function followFiles(
  { paths, isWatching }: Pick<ServeSettings, "paths" | "isWatching">,
  { note }: Pick<ServeSpeech, "note">,
  loop: ControlLoop,
  signal: AbortSignal,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const refresh = (): void => void loop.refresh().catch(reject);
    const onTrouble = (path: string, reason: string): void =>
      note(`${path} cannot be watched (${reason}): it is looked at every few seconds`);
    const watched = isWatching ? paths.filter((path) => path !== "-") : [];
    const watch = watchPaths(watched, { onChange: refresh, onTrouble });
    process.on("SIGHUP", refresh);
    const end = (): void => {
      process.off("SIGHUP", refresh);
      watch.close();
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
