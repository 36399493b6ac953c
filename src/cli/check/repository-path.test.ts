import { expect, test } from "vitest";
import { memoryFiles } from "../../../test/support/cli/run-cli.ts";
import { repositoryPaths } from "./repository-path.ts";

const files = { "/repo/.git/HEAD": "", "/repo/apps/a.yaml": "", "/work/mono/.git/HEAD": "", "/plain/a.yaml": "" };

for (const [name, workingDirectory, env, file, expected] of [
  ["at the root", "/repo", {}, "apps/a.yaml", "apps/a.yaml"],
  ["with a dot", "/repo", {}, "./apps/a.yaml", "apps/a.yaml"],
  ["below the root", "/repo/apps", {}, "a.yaml", "apps/a.yaml"],
  ["beside", "/repo/apps", {}, "../infra/b.yaml", "infra/b.yaml"],
  ["absolute", "/elsewhere", {}, "/repo/apps/a.yaml", "apps/a.yaml"],
  ["GITHUB_WORKSPACE is the repository", "/repo/apps", { GITHUB_WORKSPACE: "/repo" }, "a.yaml", "apps/a.yaml"],
  ["a repository below it", "/work/mono/apps", { GITHUB_WORKSPACE: "/work" }, "a.yaml", "apps/a.yaml"],
  ["without a repository", "/plain/sub", { GITHUB_WORKSPACE: "/plain" }, "../a.yaml", "a.yaml"],
  ["outside of everything", "/plain", {}, "a.yaml", "a.yaml"],
  ["outside of the workspace", "/plain", { GITHUB_WORKSPACE: "/work" }, "/plain/a.yaml", "/plain/a.yaml"],
  ["a folder whose name begins with dots", "/repo", {}, "..data/a.yaml", "..data/a.yaml"],
] as const) {
  test(name, async () => {
    const fileSystem = { ...memoryFiles(files), readStdin: async () => new Uint8Array() };
    const nameOf = await repositoryPaths([file], { env, workingDirectory, fileSystem });
    expect(nameOf(file)).toBe(expected);
  });
}
