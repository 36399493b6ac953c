// Makes sure that wrk, nginx and taskset are there, which the gateway's bench needs. As root on Debian it installs what is missing.
import { spawnSync } from "node:child_process";

const packages = { wrk: "wrk", nginx: "nginx-light", taskset: "util-linux" };
const isThere = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const findMissing = () => Object.keys(packages).filter((program) => !isThere(program));

let missing = findMissing();
if (missing.length > 0 && process.getuid?.() === 0 && isThere("apt-get")) {
  const names = missing.map((program) => packages[program]);
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
