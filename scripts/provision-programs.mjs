// Makes sure that programs are there which tests or benches call for. As root on Debian it installs what is missing.
//   node scripts/provision-programs.mjs zsh fish
import { spawnSync } from "node:child_process";

/** Programs, and the Debian packages that they come in. */
const packages = { fish: "fish", nginx: "nginx-light", taskset: "util-linux", wrk: "wrk", zsh: "zsh" };

const wanted = process.argv.slice(2);
const unknown = wanted.filter((program) => !Object.hasOwn(packages, program));
if (wanted.length === 0 || unknown.length > 0) {
  console.error(
    `provision-programs: name some of ${Object.keys(packages).join(", ")}; unknown: ${unknown.join(", ") || "none"}`,
  );
  process.exit(2);
}

const isThere = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const findMissing = () => wanted.filter((program) => !isThere(program));

let missing = findMissing();
if (missing.length > 0 && process.getuid?.() === 0 && isThere("apt-get")) {
  const names = missing.map((program) => packages[program]);
  console.error(`provision-programs: installing ${names.join(", ")} …`);
  const apt = (...args) =>
    spawnSync("apt-get", args, { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  if (apt("install", "-y", "--no-install-recommends", ...names).status !== 0) {
    apt("update");
    apt("install", "-y", "--no-install-recommends", ...names);
  }
  missing = findMissing();
}
if (missing.length > 0) {
  const names = missing.map((program) => packages[program]).join(" ");
  console.error(`${missing.join(", ")}: not there. On Debian: apt-get install ${names}`);
  process.exitCode = 1;
}
