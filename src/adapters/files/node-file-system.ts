import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import type { FileFacts, FileSystem } from "./file-system.ts";

/**
 * The files of this machine, for `loadFiles`. `stdin` is what the path `-` reads.
 *
 * @example
 * ```ts
 * const { files } = await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin));
 * console.log(files);
 * ```
 */
export function nodeFileSystem(stdin: AsyncIterable<Uint8Array>): FileSystem {
  return {
    stat: async (path) => {
      const stats = statSync(path);
      const type: FileFacts["type"] = stats.isDirectory() ? "directory" : stats.isFile() ? "file" : "other";
      return { type, sizeBytes: stats.size, realPath: realpathSync(path) };
    },
    readDirectory: async (path) => readdirSync(path),
    readFile: async (path) => readFileSync(path),
    readStdin: async () => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of stdin) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}
