/** action.yml, run as GitHub runs it: its shells and variables, and a server in place of the API. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseDocuments } from "../../../src/adapters/files/parse-documents.ts";
import { type CommentServer, startCommentServer } from "../../support/git/comment-server.ts";
import {
  gitEnvironment,
  type ScratchRepository,
  scratchFolder,
  scratchRepository,
} from "../../support/git/scratch-repository.ts";
import { bakery, fewer, fillCheckout, type Ran, read, root, run, tests, yamlBlock } from "./checkout.ts";

const home = scratchFolder();
let api: CommentServer;
beforeAll(async () => {
  fillCheckout(home);
  api = await startCommentServer();
}, 120_000);
afterAll(() => api.close());
beforeEach(() => api.clear());

/** A pull request: `main` went on since the branch left it, and HEAD is a merge of both, as GitHub checks it out. */
function pullRequest(
  change: Readonly<Record<string, string | null>>,
): ScratchRepository & { readonly base: string; readonly head: string } {
  const repository = scratchRepository([{ ...bakery, ...tests }]);
  const { git, commit } = repository;
  git("switch", "--quiet", "-c", "topic");
  commit(change);
  const head = git("rev-parse", "HEAD").trim();
  git("switch", "--quiet", "main");
  commit({
    "deploy/team-policies.yaml": (bakery["deploy/team-policies.yaml"] ?? "").replace("request: 10s", "request: 9s"),
  });
  const base = git("rev-parse", "HEAD").trim();
  git("switch", "--quiet", "--detach");
  git("merge", "--quiet", "--no-ff", "-m", "merge", "topic");
  return { ...repository, base, head };
}

interface Step {
  readonly id?: string;
  readonly name: string;
  readonly shell: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run: string;
}
interface Action {
  readonly inputs: Readonly<
    Record<string, { readonly description: string; readonly default?: string; readonly required?: boolean }>
  >;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}
const action = parseDocuments(read("action.yml"), "action.yml").documents[0]?.value as Action;

/** The value of `${{ a.b || c.d }}` in a text; an unknown name is empty, as on GitHub. */
function evaluate(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replaceAll(/\$\{\{ *(.*?) *\}\}/g, (_, expression: string) => {
    const names = expression.split("||").map((name) => name.trim());
    return names.map((name) => values[name] ?? "").find((value) => value !== "") ?? "";
  });
}

interface ActionRun extends Ran {
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Runs the steps of action.yml as a runner of GitHub does: each with its shell, until one fails. */
async function runAction(
  { root: workspace }: ScratchRepository,
  given: Readonly<Record<string, string>>,
  event: Readonly<Record<string, string>>,
  checkout = home,
): Promise<ActionRun> {
  const temp = scratchFolder();
  const [summary, outputFile] = [join(temp, "summary.md"), join(temp, "output.txt")];
  writeFileSync(summary, "");
  const values: Record<string, string> = { "github.token": "secret-token" };
  for (const [name, value] of Object.entries(event)) values[`github.event.${name}`] = value;
  for (const [name, { default: byDefault = "" }] of Object.entries(action.inputs))
    values[`inputs.${name}`] = given[name] ?? evaluate(byDefault, values);
  let output = "";
  let code = 0;
  for (const step of action.runs.steps) {
    expect(step.shell).toBe("bash");
    writeFileSync(outputFile, "");
    const script = join(temp, "step.sh");
    writeFileSync(script, step.run);
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value, values)] as const);
    const result = await run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], workspace, {
      ...Object.fromEntries(own),
      GITHUB_ACTIONS: "true",
      CI: "true",
      GITHUB_ACTION_PATH: checkout,
      GITHUB_WORKSPACE: workspace,
      GITHUB_REPOSITORY: "bakery/infra",
      GITHUB_API_URL: api.url,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_OUTPUT: outputFile,
      RUNNER_TEMP: temp,
    });
    output += result.output;
    for (const line of readFileSync(outputFile, "utf8").split("\n").filter(Boolean)) {
      const at = line.indexOf("=");
      values[`steps.${step.id}.outputs.${line.slice(0, at)}`] = line.slice(at + 1);
    }
    code = result.code;
    if (code !== 0) break;
  }
  const outputs = Object.fromEntries(
    Object.entries(action.outputs).map(([name, { value }]) => [name, evaluate(value, values)]),
  );
  return { code, output, summary: readFileSync(summary, "utf8"), outputs };
}

const eventOf = ({
  base,
  head,
}: {
  readonly base: string;
  readonly head: string;
}): Readonly<Record<string, string>> => ({
  "pull_request.number": "7",
  "pull_request.base.sha": base,
  "pull_request.head.sha": head,
});

describe("GitHub: action.yml", () => {
  test("comments with what the pull request changes, and with nothing that others changed", async () => {
    const request = pullRequest(fewer);
    const { code, summary, outputs, output } = await runAction(
      request,
      { paths: "deploy", "fail-on": "never" },
      eventOf(request),
    );
    expect([code, outputs["changes"]]).toEqual([0, "true"]);
    expect(api.comments).toHaveLength(1);
    const body = api.comments[0]?.body ?? "";
    expect(body).toMatch(/^<!-- prevail: plan -->\n### Prevail: what this changes since `[0-9a-f]{12}`\n/);
    expect(body).toMatch(
      /- {3}5 from RetryPolicy infra\/friday-fix, overrides\s+-?\s*\([0-9a-f]{12}:deploy\/platform-policies\.yaml:36\)/,
    );
    expect(body).toContain("+   4 from RetryPolicy infra/friday-fix, overrides (deploy/platform-policies.yaml:36)");
    expect(body).not.toContain("9s");
    expect(summary).toBe(body.replace(/^.*\n/, ""));
    expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /repos/bakery/infra/issues/7/comments?per_page=100&page=1",
      "POST /repos/bakery/infra/issues/7/comments",
    ]);
    expect(api.requests[1]?.headers["authorization"]).toBe("Bearer secret-token");
    expect(output).not.toContain("secret-token");
  });

  test("a new push updates the comment; the comments of others stay, on whatever page ours is", async () => {
    for (let id = 1; id <= 130; id++) api.comments.push({ id, body: `comment ${id} <!-- prevail: plan -->` });
    const request = pullRequest(fewer);
    const inputs = { paths: "deploy", "fail-on": "never" };
    await runAction(request, inputs, eventOf(request));
    expect(api.comments).toHaveLength(131);
    await runAction(pullRequest({ ...fewer, "deploy/shop.yaml": null }), inputs, eventOf(request));
    expect(api.comments).toHaveLength(131);
    expect(api.comments.at(-1)?.body).toContain("shop.yaml");
    expect(api.comments[129]?.body).toBe("comment 130 <!-- prevail: plan -->");
  });

  test("nothing changes: no comment, unless there is one to correct or always is given", async () => {
    const request = pullRequest({ "README.md": "hello" });
    const inputs = { paths: "deploy", "fail-on": "never" };
    const { outputs, output } = await runAction(request, inputs, eventOf(request));
    expect([outputs["changes"], api.comments]).toEqual(["false", []]);
    expect(output).toContain("nothing is posted");
    await runAction(request, { ...inputs, comment: "always", name: "my plan" }, eventOf(request));
    expect(api.comments[0]?.body).toMatch(/^<!-- prevail: my-plan -->\n### Prevail: .*\n\nNothing changes: /);
    api.comments[0] = { id: 5, body: "<!-- prevail: plan -->\nold" };
    await runAction(request, inputs, eventOf(request));
    expect(api.comments.map(({ id, body }) => [id, body.includes("Nothing changes")])).toEqual([[5, true]]);
    await runAction(request, { ...inputs, comment: "never", name: "other" }, eventOf(request));
    expect(api.comments).toHaveLength(1);
  });

  test("findings are annotations, and those that fail-on names fail the job after the comment", async () => {
    const request = pullRequest(fewer);
    const { code, output } = await runAction(request, { paths: "deploy" }, eventOf(request));
    expect(output).toMatch(/^::error file=deploy\/team-policies\.yaml,line=59,col=\d+,title=TargetNotFound::/m);
    expect(output).toContain("::error title=prevail check::exit code 1");
    expect([code, api.comments.length]).toEqual([1, 1]);
  });

  test("tests that fail are annotations and fail the job", async () => {
    const request = pullRequest(fewer);
    const { code, output } = await runAction(
      request,
      { paths: "deploy", "fail-on": "never", test: "true" },
      eventOf(request),
    );
    expect(output).toMatch(
      /^::error file=deploy\/tests\/requests\.yaml,line=\d+,col=\d+,title=requests%3A the five retries are from friday-fix::/m,
    );
    expect([code, output.includes("::error title=prevail test::exit code 1")]).toEqual([1, true]);
  });

  test("several paths, one with a space; a push instead of a pull request; a base of one's own", async () => {
    const repository = scratchRepository([{ ...bakery, "more files/x.yaml": "# nothing\n" }, fewer]);
    const before = repository.git("rev-parse", "HEAD~1").trim();
    const inputs = { paths: "deploy\nmore files", "fail-on": "never" };
    const push = await runAction(repository, inputs, { before });
    expect([push.code, push.outputs["changes"], api.comments]).toEqual([0, "true", []]);
    expect(push.summary).toContain("-f deploy -f 'more files' -o wide");
    const own = await runAction(repository, { ...inputs, base: "HEAD" }, { before });
    expect(own.outputs["changes"]).toBe("false");
    const created = await runAction(repository, inputs, { before: "0".repeat(40) });
    expect([created.code, created.output]).toEqual([0, expect.stringContaining("There is no commit to compare with")]);
  });

  test("with complete, a plan with caveats fails", async () => {
    // Without its definition, what a policy of the kind sets is not known.
    const request = pullRequest({ ...fewer, "deploy/policy-kinds.yaml": null });
    const inputs = { paths: "deploy", "fail-on": "never" };
    const partial = await runAction(request, inputs, eventOf(request));
    expect([partial.code, partial.outputs["changes"]]).toEqual([0, "true"]);
    const { code, output, outputs } = await runAction(request, { ...inputs, complete: "true" }, eventOf(request));
    expect([code, outputs["changes"]]).toEqual([1, "unknown"]);
    expect(output).toContain("::error title=prevail plan::exit code 1; the log has the reason");
  });

  test("a shallow checkout fails with what to do", async () => {
    const request = pullRequest(fewer);
    const shallow = scratchFolder();
    execFileSync("git", ["clone", "--quiet", "--depth=1", "--branch", "topic", `file://${request.root}`, "."], {
      cwd: shallow,
      env: gitEnvironment,
    });
    const { code, output } = await runAction(
      { ...request, root: shallow },
      { paths: "deploy", "fail-on": "never" },
      eventOf(request),
    );
    expect(output.replaceAll(/\s+/g, " ")).toContain("'fetch-depth: 0' for actions/checkout");
    expect([code, output.includes("::error title=prevail plan::exit code 64")]).toEqual([1, true]);
  });

  test.each(["write", "read"] as const)("a token that may not %s comments is no failure", async (what) => {
    if (what === "write") api.setWriteStatus(403);
    else api.setReadStatus(403);
    const request = pullRequest(fewer);
    const { code, output, summary } = await runAction(
      request,
      { paths: "deploy", "fail-on": "never" },
      eventOf(request),
    );
    expect([code, output]).toEqual([0, expect.stringContaining("The token may not write comments here (403).")]);
    expect(summary).toContain("### Prevail");
  });

  test("a checkout of the action that was not built is built first", { timeout: 240_000 }, async () => {
    const checkout = scratchFolder();
    for (const part of execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trimEnd().split("\n"))
      if (/^(?:src|scripts)\/|^(?:package|tsconfig)[^/]*\.json$|^LICENSE$/.test(part) && existsSync(join(root, part)))
        cpSync(join(root, part), join(checkout, part));
    // As after npm ci.
    symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));
    const request = pullRequest(fewer);
    const inputs = { paths: "deploy", "fail-on": "never" };
    const { code, output } = await runAction(request, inputs, eventOf(request), checkout);
    expect([code, output]).toEqual([0, expect.stringContaining("build: done in")]);
    expect(api.comments[0]?.body).toContain("+   4 from RetryPolicy infra/friday-fix");
  });

  test("an API that does not respond fails, without a stack trace", async () => {
    const request = pullRequest(fewer);
    api.setWriteStatus(500);
    const { code, output } = await runAction(request, { paths: "deploy", "fail-on": "never" }, eventOf(request));
    expect([code, output]).toEqual([1, expect.stringContaining("post-comment: the comment cannot be written: 500")]);
    expect(output).not.toMatch(/^ +at /m);
  });

  test("hostile names: workflow commands in them are not obeyed, and the comment has them in code only", async () => {
    const request = pullRequest({
      ...fewer,
      "deploy/x\n::warning::hacked\n.yaml": "kind: [\napiVersion: v1\n",
      "deploy/`@team`.yaml": (bakery["deploy/shop.yaml"] ?? "").replaceAll("name: counter", "name: counter-2"),
    });
    const { output } = await runAction(
      request,
      { paths: "deploy\n$(touch hacked)\n; touch hacked", "fail-on": "never" },
      eventOf(request),
    );
    expect(existsSync(join(request.root, "hacked"))).toBe(false);
    let stopped: string | undefined;
    for (const line of output.split("\n").map((text) => text.trimStart())) {
      if (stopped === undefined) expect(line).not.toContain("::warning::hacked");
      stopped = line === `::${stopped}::` ? undefined : (/^::stop-commands::(.+)$/.exec(line)?.[1] ?? stopped);
    }
    expect(stopped).toBeUndefined();
  });

  test("docs/ci.md has its inputs, and a workflow that gives only known ones", () => {
    const page = read("docs/ci.md");
    const rows = [...page.matchAll(/^\| `([\w-]+)` \|(.*?)\| (.*?) \|$/gm)].map(([, name, byDefault = "", meaning]) => [
      name,
      byDefault.trim(),
      meaning,
    ]);
    expect(rows).toEqual(
      Object.entries(action.inputs).map(([name, { default: byDefault = "", description, required }]) => [
        name,
        required === true ? "**required**" : byDefault === "" ? "" : `\`${byDefault}\``,
        description,
      ]),
    );
    const workflow = yamlBlock("# .github/workflows/policies.yml") as {
      readonly jobs: {
        readonly prevail: { readonly steps: readonly { readonly uses: string; readonly with: object }[] };
      };
    };
    const [checkout, prevail] = workflow.jobs.prevail.steps;
    expect(checkout).toMatchObject({ with: { "fetch-depth": 0 } });
    expect(Object.keys(prevail?.with ?? {}).filter((name) => !(name in action.inputs))).toEqual([]);
  });
});
