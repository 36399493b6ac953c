import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canChangeRoot, type ImageRoot, instructions, makeImageRoot } from "../support/image/image-root.ts";

describe("a container of the image, as the chart runs it", { timeout: 120_000 }, () => {
  let image: ImageRoot;
  beforeAll(() => {
    image = makeImageRoot();
  }, 120_000);
  afterAll(() => image.remove());
  const run = (...args: readonly string[]) => {
    const [command = "", ...rest] = [...image.command, ...args];
    return spawnSync(command, rest, { encoding: "utf8", env: { PATH: process.env["PATH"] } });
  };

  test("what the Dockerfile copies is the whole program", () => {
    expect(instructions("ENTRYPOINT")).toEqual(['["/nodejs/bin/node", "/app/dist/bin/prevail.js"]']);
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(run("version").stdout).toContain(version);
    const args = ["controller", "--view-only", "--kubeconfig", "/nonexistent", "--log-format", "json"];
    const { status, stderr } = run(...args);
    expect([status, JSON.parse(stderr)]).toEqual([
      1,
      { time: expect.any(String), level: "error", message: expect.stringContaining("/nonexistent") },
    ]);
  });

  test.skipIf(!canChangeRoot())("it is not root, has no shell, and cannot write", () => {
    const [command = "", ...rest] = image.command;
    // Node itself instead of the program.
    const node = (code: string) =>
      spawnSync(command, [...rest.slice(0, -1), "-e", code], { encoding: "utf8", env: { PATH: process.env["PATH"] } });
    const code = `const fs = require("node:fs"); const write = (path) => { try { fs.writeFileSync(path, ""); return "written"; } catch (error) { return error.code; } };
      console.log(JSON.stringify({ user: process.getuid(), group: process.getgid(), app: write("/app/x"), tmp: write("/tmp/x"), folders: fs.readdirSync("/").filter((name) => /bin$/.test(name)) }));`;
    expect(JSON.parse(node(code).stdout)).toEqual({
      user: 65532,
      group: 65532,
      app: "EROFS",
      tmp: "EROFS",
      folders: [],
    });
  });
});

test("the image is not run as root, and the chart runs it as the same user", () => {
  const [user] = instructions("USER");
  expect(user).toBe("65532:65532");
  expect(readFileSync("deploy/chart/templates/deployment.yaml", "utf8")).toContain("runAsUser: 65532");
});

describe("npm run image where no image can be built", () => {
  const imageWith = (path: string) =>
    spawnSync(process.execPath, ["scripts/image.mjs"], { encoding: "utf8", env: { PATH: path } });

  test("without docker and podman it says what is missing", () => {
    const { status, stderr } = imageWith("/nonexistent");
    expect([status, stderr]).toEqual([
      3,
      "image: not built: there is neither docker nor podman here. Install one of them.\n",
    ]);
  });

  test("with a docker whose daemon does not run it says so, with docker's own words", () => {
    const folder = mkdtempSync(join(tmpdir(), "prevail-docker-"));
    try {
      const text =
        "#!/bin/sh\necho 'Client: 28'; echo 'Cannot connect to the Docker daemon. Is it running?' >&2; exit 1\n";
      writeFileSync(join(folder, "docker"), text);
      chmodSync(join(folder, "docker"), 0o755);
      const { status, stderr } = imageWith(`${folder}:/usr/bin:/bin`);
      expect([status, stderr]).toEqual([
        3,
        "image: not built: 'docker info' fails: Cannot connect to the Docker daemon. Is it running?\n",
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
