// Builds the container image of the controller with docker or podman.
//   npm run image [-- --tag NAME:VERSION] [-- BUILD OPTION…]
// The default tag is prevail:VERSION, as the chart has it. Further arguments are passed to the build: --build-arg BASE=…, --platform linux/arm64, --push.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2);
const tagAt = args.indexOf("--tag");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const tag = tagAt === -1 ? `prevail:${version}` : args[tagAt + 1];
const further = tagAt === -1 ? args : args.toSpliced(tagAt, 2);
if (tag === undefined) {
  console.error("image: --tag needs a name, such as --tag example.com/team/prevail:0.1.0");
  process.exit(2);
}

const found = ["docker", "podman"].map(infoOf).filter(({ isThere }) => isThere);
const tool = found.find(({ problem }) => problem === undefined)?.name;
if (tool === undefined) {
  const why = found.map(({ name, problem }) => `'${name} info' fails: ${problem}`).join("; ");
  console.error(`image: not built: ${why || "there is neither docker nor podman here. Install one of them."}`);
  process.exit(3);
}
run(process.execPath, [join(root, "scripts", "build.mjs"), "--if-changed"]);
run(tool, ["build", "--tag", tag, ...further, root]);
console.error(`image: ${tag} is built with ${tool}`);

/** Finds the program, or the reason why it cannot build: its daemon, if it has one, must respond. */
function infoOf(name) {
  const { status, stderr, error } = spawnSync(name, ["info"], { encoding: "utf8", timeout: 20_000 });
  if (error?.code === "ENOENT") return { name, isThere: false };
  const [problem = "no response"] = (stderr ?? "").split("\n").filter((line) => line.trim() !== "");
  return { name, isThere: true, problem: status === 0 ? undefined : problem.trim() };
}

function run(command, commandArgs) {
  const { status } = spawnSync(command, commandArgs, { cwd: root, stdio: "inherit" });
  if (status !== 0) {
    console.error(`image: not built: '${command} ${commandArgs[0]}' failed; its output is above`);
    process.exit(1);
  }
}
