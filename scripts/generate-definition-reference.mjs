// Rewrites the generated tables of docs/definitions.md. The tables come from TypeScript sources, so the test that checks the
// page also writes it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const result = spawnSync(process.execPath, [vitest, "run", "test/definition-reference.test.ts"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, PREVAIL_GOLDEN: "write", CI: "" },
});
process.exitCode = result.status ?? 1;
