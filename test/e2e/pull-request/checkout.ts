/** What the tests of docs/ci.md need: a checkout that was built, the bakery as the manifests of a repository, and blocks of the page. */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseDocuments } from "../../../src/adapters/files/parse-documents.ts";
import { gitEnvironment } from "../../support/git/scratch-repository.ts";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
export const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Copies the program and its scripts, as a checkout that was built has them. */
export function fillCheckout(home: string): void {
  execFileSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { cwd: root, stdio: "ignore" });
  for (const part of ["dist", "scripts", "package.json"])
    cpSync(join(root, part), join(home, part), { recursive: true });
}

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Runs a program without blocking this thread, which serves the API. */
export function run(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Ran> {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...gitEnvironment, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, output }));
  });
}

export const bakery = Object.fromEntries(
  ["gateway", "bakery", "shop", "policy-kinds", "platform-policies", "team-policies"].map((name) => [
    `deploy/${name}.yaml`,
    read(`examples/bakery/${name}.yaml`),
  ]),
);
export const tests = { "deploy/tests/requests.yaml": read("examples/bakery/tests/requests.yaml") };
const platform = bakery["deploy/platform-policies.yaml"] ?? "";
export const fewer = { "deploy/platform-policies.yaml": platform.replace("attempts: 5", "attempts: 4") };

/** The block of docs/ci.md that begins with this comment. */
export function blockOf(page: string, start: string): string {
  const found = [...page.matchAll(/^```\w+\n(.*?)^```$/gms)]
    .map(([, text = ""]) => text)
    .find((text) => text.includes(start));
  if (found === undefined) throw new Error(`docs/ci.md has no block with ${start}`);
  return found;
}
export const yamlBlock = (start: string): unknown =>
  parseDocuments(blockOf(read("docs/ci.md"), start), "docs/ci.md").documents[0]?.value;
