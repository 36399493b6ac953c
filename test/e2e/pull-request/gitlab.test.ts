/** The job of docs/ci.md for GitLab, run with the variables of GitLab and a server in place of the API. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CommentServer, startCommentServer } from "../../support/git/comment-server.ts";
import {
  gitEnvironment,
  type ScratchRepository,
  scratchFolder,
  scratchRepository,
} from "../../support/git/scratch-repository.ts";
import { bakery, fewer, fillCheckout, type Ran, run, tests, yamlBlock } from "./checkout.ts";

const home = scratchFolder();
let api: CommentServer;
beforeAll(async () => {
  fillCheckout(home);
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: home, env: gitEnvironment });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "-m", "prevail");
  api = await startCommentServer();
}, 120_000);
afterAll(() => api.close());
beforeEach(() => api.clear());

describe("GitLab: the job of docs/ci.md", () => {
  const job = (
    yamlBlock("# .gitlab-ci.yml") as {
      readonly prevail: { readonly before_script: readonly string[]; readonly script: readonly string[] };
    }
  ).prevail;

  /** GitLab runs the lines of both scripts in one shell, until one fails. */
  const runJob = ({ root: cwd }: ScratchRepository, base: string, token?: string): Promise<Ran> =>
    run(["bash", "-c", ["set -eo pipefail", ...job.before_script, ...job.script].join("\n")], cwd, {
      PREVAIL_REPOSITORY: `file://${home}`,
      PREVAIL_HOME: join(scratchFolder(), "prevail"),
      CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
      CI_MERGE_REQUEST_IID: "3",
      CI_PROJECT_ID: "42",
      CI_API_V4_URL: `${api.url}/api/v4`,
      PREVAIL_GITLAB_TOKEN: token,
    });

  test("writes the plan, the reports and the note, and updates the note", async () => {
    const repository = scratchRepository([{ ...bakery, ...tests }, fewer]);
    const { code } = await runJob(repository, "HEAD~1", "glpat");
    const file = (name: string): string => readFileSync(join(repository.root, name), "utf8");
    expect(file("prevail-plan.md")).toContain("+   4 from RetryPolicy infra/friday-fix");
    expect(file("prevail-check.xml")).toMatch(/<testsuites name="prevail check" tests="\d+" failures="[1-9]/);
    expect(file("prevail-test.xml")).toContain('<testsuites name="prevail test" tests="5" failures="1" errors="0">');
    expect(api.comments.map(({ body }) => body)).toEqual([`<!-- prevail: plan -->\n${file("prevail-plan.md")}`]);
    expect(api.requests.at(-1)).toMatchObject({
      method: "POST",
      path: "/api/v4/projects/42/merge_requests/3/notes",
      headers: { "private-token": "glpat" },
    });
    expect(code).toBe(1);
    await runJob(repository, "HEAD~1", "glpat");
    expect(api.requests.at(-1)).toMatchObject({
      method: "PUT",
      path: "/api/v4/projects/42/merge_requests/3/notes/1000",
    });
  });

  test("passes if there is nothing to say, and posts no note without a token", async () => {
    const clean = Object.fromEntries(
      Object.entries(bakery).map(([path, text]) => [
        path,
        text.replace("name: bakr", "name: baker").replace("sectionName: admin", "sectionName: https"),
      ]),
    );
    const repository = scratchRepository([{ ...clean, ...tests }, { "README.md": "hello" }]);
    const { code, output } = await runJob(repository, "HEAD~1");
    expect([code, output, api.requests]).toEqual([0, expect.stringMatching(/^prevail \d\S* .*\n$/), []]);
  });
});
