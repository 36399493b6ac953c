// Checks that programs are installed which tests or benches run. As root on Debian it installs the missing ones.
//   node scripts/provision-programs.mjs zsh fish
import { spawnSync } from "node:child_process";

/** The Debian package of each program. */
const packages = {
  fish: "fish",
  ip: "iproute2",
  nginx: "nginx-light",
  promtool: "prometheus",
  taskset: "util-linux",
  unshare: "util-linux",
  wrk: "wrk",
  zsh: "zsh",
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((program) => !Object.hasOwn(packages, program));
if (wanted.length === 0 || unknown.length > 0) {
  console.error(
    unknown.length > 0
      ? `provision-programs: unknown program ${unknown.join(", ")}; known are ${Object.keys(packages).join(", ")}`
      : `provision-programs: name one or more of ${Object.keys(packages).join(", ")}`,
  );
  process.exit(2);
}

const isThere = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const findMissing = () => wanted.filter((program) => !isThere(program));

let missing = findMissing();
if (missing.length > 0 && process.getuid?.() === 0 && isThere("apt-get")) {
  const names = missing.map((program) => packages[program]);
  console.error(`provision-programs: installing ${names.join(", ")} with apt-get …`);
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
  console.error(`${missing.join(", ")}: not installed; on Debian run \`apt-get install ${names}\` as root`);
  process.exitCode = 1;
}
