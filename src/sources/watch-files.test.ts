import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { watchFiles } from "./watch-files.ts";

describe("watched files", () => {
  let folder = "";
  let stop = new AbortController();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "prevail-watch-"));
    writeFileSync(join(folder, "a.yaml"), "one");
    stop = new AbortController();
  });
  afterEach(() => {
    stop.abort();
    rmSync(folder, { recursive: true });
  });

  const refreshes = (): { readonly refresh: () => Promise<void>; readonly count: () => number } => {
    const refresh = vi.fn(async () => {});
    return { refresh, count: () => refresh.mock.calls.length };
  };

  test("a change between the start of the watch and `follow` causes a refresh", async () => {
    const files = watchFiles({ paths: [folder], isWatching: true, note: () => {} });
    writeFileSync(join(folder, "a.yaml"), "two");
    // Longer than the watch waits after an event: without `follow` nothing receives it.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { refresh, count } = refreshes();
    const followed = files.follow(refresh, stop.signal);
    await vi.waitFor(() => expect(count()).toBeGreaterThan(0));
    stop.abort();
    await followed;
  });

  test("without watching, a change causes no refresh", async () => {
    const files = watchFiles({ paths: [folder], isWatching: false, note: () => {} });
    writeFileSync(join(folder, "a.yaml"), "two");
    const { refresh, count } = refreshes();
    const followed = files.follow(refresh, stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop.abort();
    await followed;
    expect(count()).toBe(0);
  });

  test("a path that cannot be watched is reported only when files are followed", async () => {
    const notes: string[] = [];
    const files = watchFiles({ paths: [join(folder, "absent")], isWatching: true, note: (text) => notes.push(text) });
    expect(notes).toEqual([]);
    const followed = files.follow(async () => {}, stop.signal);
    expect(notes).toEqual([expect.stringContaining("absent cannot be watched")]);
    stop.abort();
    await followed;
  });

  test("`close` without `follow` ends the watch", () => {
    expect(() => watchFiles({ paths: [folder], isWatching: true, note: () => {} }).close()).not.toThrow();
  });

  test("a failed refresh rejects", async () => {
    const files = watchFiles({ paths: [folder], isWatching: true, note: () => {} });
    const followed = files.follow(() => Promise.reject(new Error("broken")), stop.signal);
    writeFileSync(join(folder, "a.yaml"), "two");
    await expect(followed).rejects.toThrow("broken");
  });
});
