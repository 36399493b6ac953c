import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { codeCachePath, readCodeCache, writeCodeCache } from "./code-cache.ts";

const folder = mkdtempSync(join(tmpdir(), "prevail-code-cache-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("where it is", () => {
  const own = `prevail/explain-${process.version}-${process.arch}.bin`;
  test.each([
    ["linux", { HOME: "/home/ana" }, `/home/ana/.cache/${own}`],
    ["linux", { HOME: "/home/ana", XDG_CACHE_HOME: "/fast" }, `/fast/${own}`],
    ["linux", { HOME: "/home/ana", XDG_CACHE_HOME: "" }, `/home/ana/.cache/${own}`],
    ["darwin", { HOME: "/Users/ana" }, `/Users/ana/Library/Caches/${own}`],
    ["win32", { LOCALAPPDATA: "/local" }, `/local/${own}`],
    ["linux", {}, undefined],
    ["linux", { HOME: "/home/ana", NODE_DISABLE_COMPILE_CACHE: "1" }, undefined],
  ])("on %s with %o", (platform, env, path) => {
    expect(codeCachePath("explain", env, platform)).toBe(path);
  });

  test.each(["../../etc", "-f", "EXPLAIN", "", "x".repeat(40)])("no word becomes a path: %j", (word) => {
    const path = codeCachePath(word, { HOME: "/home/ana" }, "linux");
    expect(path === undefined || path.startsWith("/home/ana/.cache/prevail/")).toBe(true);
    expect(path ?? "").not.toContain("..");
  });
});

describe("what is read", () => {
  const parts = new Map([
    ["a-1.js", Buffer.from([1, 2, 3])],
    ["b-2.js", Buffer.from([])],
    ["c-3.js", Buffer.alloc(5000, "abc")],
  ]);
  const written = (name: string): string => {
    const path = join(folder, name, "prevail", "explain.bin");
    writeCodeCache(path, parts);
    return path;
  };
  const read = (path: string): unknown => [...readCodeCache(path)].map(([name, bytes]) => [name, [...bytes]]);

  test("what was written, and nothing beside it is left", () => {
    const path = written("whole");
    expect(read(path)).toEqual([...parts].map(([name, bytes]) => [name, [...bytes]]));
    expect(readdirSync(join(path, ".."))).toEqual(["explain.bin"]);
  });

  test("nothing where there is no file", () => {
    expect(read(join(folder, "none"))).toEqual([]);
  });

  test("nothing of a file that is cut short, or longer than it says", () => {
    const short = written("short");
    truncateSync(short, 2000);
    const long = written("long");
    writeFileSync(long, Buffer.concat([readFileSync(long), Buffer.from("more")]), { mode: 0o600 });
    const other = written("other");
    writeFileSync(other, "something else");
    expect([read(short), read(long), read(other)]).toEqual([[], [], []]);
  });

  test.skipIf(process.platform === "win32")("nothing of a file that others may write: it is code", () => {
    const path = written("open");
    chmodSync(path, 0o666);
    expect(read(path)).toEqual([]);
  });

  test("where nothing can be written, nothing happens", () => {
    mkdirSync(join(folder, "closed"));
    writeFileSync(join(folder, "closed", "prevail"), "a file where the folder should be");
    written("closed");
    expect(readdirSync(join(folder, "closed"))).toEqual(["prevail"]);
  });
});
