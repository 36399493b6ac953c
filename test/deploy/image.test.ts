import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
const instructions = (name: string): readonly string[] =>
  [...dockerfile.matchAll(new RegExp(`^${name} (.*)$`, "gm"))].map(([, rest = ""]) => rest);

/** The files that COPY puts into the image, in a folder of this machine that cannot be written. */
function imageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "prevail-image-"));
  for (const line of instructions("COPY")) {
    const paths = line.split(" ");
    const target = paths.pop() ?? "";
    for (const path of paths)
      cpSync(join(root, path), target === "./" ? join(folder, path) : join(folder, target), { recursive: true });
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444);
  return folder;
}

test("what the Dockerfile copies is the whole program", () => {
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), "--if-changed"], { stdio: "ignore" });
  const folder = imageFolder();
  const [entrypoint = ""] = instructions("ENTRYPOINT");
  const [node = "", program = ""] = JSON.parse(entrypoint) as string[];
  expect(node).toBe("/nodejs/bin/node");
  // The program must find everything below the folder of the image: there are no packages above it.
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [program.replace("/app", folder), ...args], { encoding: "utf8", cwd: folder, env: {} });
  try {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(run("version").stdout).toContain(version);
    const args = ["controller", "--view-only", "--kubeconfig", "/nonexistent", "--log-format", "json"];
    const { status, stderr } = run(...args);
    expect([status, JSON.parse(stderr)]).toEqual([
      1,
      { time: expect.any(String), level: "error", message: expect.stringContaining("/nonexistent") },
    ]);
  } finally {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

test("the image is not run as root, and the chart runs it as the same user", () => {
  const [user] = instructions("USER");
  expect(user).toBe("65532:65532");
  expect(readFileSync(join(root, "deploy/chart/templates/deployment.yaml"), "utf8")).toContain("runAsUser: 65532");
});

test("npm run image without docker and podman says what is missing", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/image.mjs")], {
    encoding: "utf8",
    env: { PATH: "/nonexistent" },
  });
  expect([status, stderr]).toEqual([3, expect.stringContaining("neither docker nor podman can build an image here")]);
});
