import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";
import { gitEnvironment, scratchFolder, scratchRepository } from "../../../test/support/git/scratch-repository.ts";

const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: x}
spec: {controllerName: prevail.dev/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: infra}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80, allowedRoutes: {namespaces: {from: All}}}]}
`;
const route = (name: string): string => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: shop}
spec: {parentRefs: [{name: g, namespace: infra}], rules: [{name: one}]}
`;
const retries = (attempts: number, name = "retries"): string => `apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: ${name}, namespace: infra}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: g}]
  overrides: {retry: {attempts: ${attempts}}}
`;

interface PlanJson {
  readonly counts: { readonly objects: number };
  readonly objects: readonly {
    readonly change: string;
    readonly object: { readonly kind: string; readonly name: string };
    readonly at?: { readonly file: string; readonly line: number };
  }[];
  readonly effective: readonly {
    readonly values: readonly { readonly before: SideJson; readonly after: SideJson }[];
  }[];
  readonly caveats: readonly { readonly code: string; readonly message: string }[];
}
type SideJson = { readonly value: unknown; readonly at: { readonly file: string; readonly line: number } } | null;

/** The plan of a repository's folder `deploy` against a commit, with paths from the root. */
async function planOf(root: string, revision = "HEAD", ...paths: readonly string[]): Promise<PlanJson> {
  const named = (paths.length === 0 ? ["deploy"] : paths).flatMap((path) => ["-f", join(root, path)]);
  const { stdout } = await runCli(["plan", "--git", revision, "-o", "json", ...named]);
  const plan: PlanJson = JSON.parse(stdout.replaceAll(`${root}/`, ""));
  expect(schemaViolations("plan.json", plan)).toEqual([]);
  return plan;
}

const changesIn = ({ objects }: PlanJson): readonly string[] =>
  objects
    .filter(({ change }) => change !== "Same")
    .map(({ change, object, at }) => `${change} ${object.kind} ${object.name} ${at?.file}`);

const start = {
  "deploy/gateway.yaml": gateway,
  "deploy/shop/routes.yaml": `${route("a")}---\n${route("b")}`,
  "deploy/policies.yaml": retries(2),
};

describe("what changes between a commit and the working tree", () => {
  test("a value: the old side names the commit, the new side the file", async () => {
    const { root, write } = scratchRepository([start]);
    write({ "deploy/policies.yaml": `# a comment\n${retries(3)}` });
    const plan = await planOf(root);
    expect(changesIn(plan)).toEqual(["Changed RetryPolicy retries deploy/policies.yaml"]);
    expect(plan.effective[0]?.values[0]).toMatchObject({
      before: { value: 2, at: { file: "HEAD:deploy/policies.yaml", line: 6 } },
      after: { value: 3, at: { file: "deploy/policies.yaml", line: 7 } },
    });
  });

  test("files that are renamed, moved or joined change nothing", async () => {
    const { root, git, write } = scratchRepository([start]);
    git("mv", "deploy/gateway.yaml", "deploy/edge.yaml");
    write({
      "deploy/shop/routes.yaml": null,
      "deploy/policies.yaml": null,
      "deploy/all/x.yml": `${route("b")}---\n${retries(2)}`,
    });
    write({
      "deploy/all/y.json": JSON.stringify({
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        metadata: { name: "a", namespace: "shop" },
        spec: { parentRefs: [{ name: "g", namespace: "infra" }], rules: [{ name: "one" }] },
      }),
    });
    const { code, stdout } = await runCli(["plan", "--git", "HEAD", "--exit-code", "-f", join(root, "deploy")]);
    expect(stdout).toContain("5 objects would stay as they are.\n\nNothing changes:");
    expect(code).toBe(0);
  });

  test("files that are added and deleted, committed, staged or not", async () => {
    const { root, git, write, commit } = scratchRepository([start]);
    commit({ "deploy/shop/c.yaml": route("c") });
    write({ "deploy/shop/d.yaml": route("d"), "deploy/shop/routes.yaml": route("a") });
    git("add", "deploy/shop/d.yaml");
    write({ "deploy/shop/e.yaml": route("e") });
    expect(changesIn(await planOf(root, "HEAD~1"))).toEqual([
      "Deleted HTTPRoute b HEAD~1:deploy/shop/routes.yaml",
      ...["c", "d", "e"].map((name) => `Created HTTPRoute ${name} deploy/shop/${name}.yaml`),
    ]);
  });

  test("a directory that only one side has", async () => {
    const { root, write } = scratchRepository([start]);
    write({ "deploy/shop/routes.yaml": null, "new/c.yaml": route("c") });
    const plan = await planOf(root, "HEAD", "deploy/gateway.yaml", "deploy/shop", "new");
    expect(changesIn(plan)).toEqual([
      ...["a", "b"].map((name) => `Deleted HTTPRoute ${name} HEAD:deploy/shop/routes.yaml`),
      "Created HTTPRoute c new/c.yaml",
    ]);
  });

  test("everything is new, and everything is deleted", async () => {
    const { root, commit, write } = scratchRepository([{ "README.md": "x" }]);
    commit(start);
    expect((await planOf(root, "HEAD~1")).counts.objects).toBe(5);
    write({ deploy: null });
    expect(changesIn(await planOf(root)).map((line) => line.split(" ")[0])).toEqual(Array(5).fill("Deleted"));
  });

  test("-f may name the root, a file, or the same file twice; the commit may be a tag or an object name", async () => {
    const { root, git, write } = scratchRepository([start]);
    git("tag", "v1");
    write({ "deploy/policies.yaml": retries(4) });
    const sha = git("rev-parse", "HEAD").trim();
    for (const [revision, label] of [
      ["v1", "v1"],
      [sha, sha.slice(0, 12)],
      ["main^{commit}", "main^{commit}"],
    ] as const) {
      const { effective } = await planOf(root, revision, ".", "deploy/policies.yaml");
      expect(effective[0]?.values[0]?.before?.at.file).toBe(`${label}:deploy/policies.yaml`);
    }
  });

  test("REF... is the commit where HEAD left REF", async () => {
    const { root, git, commit } = scratchRepository([start]);
    const base = git("rev-parse", "HEAD").trim();
    git("switch", "--quiet", "-c", "topic");
    commit({ "deploy/shop/c.yaml": route("c") });
    git("switch", "--quiet", "main");
    commit({ "deploy/policies.yaml": retries(9) });
    git("switch", "--quiet", "topic");
    expect(changesIn(await planOf(root, "main..."))).toEqual(["Created HTTPRoute c deploy/shop/c.yaml"]);
    expect(changesIn(await planOf(root, "main"))).toHaveLength(2);
    const { stdout } = await runCli(["plan", "--git", "main...", "-f", join(root, "deploy/shop")]);
    expect(stdout).not.toContain(base);
  });

  test("the same files are read as on disk: no hidden files, no node_modules, no templates", async () => {
    const { root, write } = scratchRepository([
      {
        ...start,
        "deploy/.hidden/x.yaml": route("hidden"),
        "deploy/node_modules/x.yaml": route("module"),
        "deploy/notes.txt": route("text"),
        "deploy/values.yaml": "replicas: 2\n",
        "deploy/chart/templates/x.yaml": "metadata: {name: {{ .Values.name }}}\n{{ end }}\n",
      },
    ]);
    write({ "deploy/.hidden/x.yaml": null, "deploy/node_modules/x.yaml": null, "deploy/notes.txt": null });
    const plan = await planOf(root);
    expect(changesIn(plan)).toEqual([]);
    expect(plan.caveats.map(({ code }) => code)).toEqual(["UnrenderedTemplate", "UnrenderedTemplate"]);
  });

  test("names with spaces, quotes, umlauts and line ends", async () => {
    const odd = 'deploy/a b/"ü\n$(x).yaml';
    const { root, write } = scratchRepository([{ ...start, [odd]: route("odd") }]);
    write({ [odd]: null });
    expect(changesIn(await planOf(root))).toEqual([`Deleted HTTPRoute odd HEAD:${odd}`]);
  });

  test("many files and large files", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [
        `deploy/many/${index}.yaml`,
        `# ${"x".repeat(index * 4000)}\n${route(`many-${index}`)}`,
      ]),
    );
    const { root, write } = scratchRepository([{ ...start, ...many }]);
    write({ "deploy/many/49.yaml": null });
    const plan = await planOf(root);
    expect(changesIn(plan)).toEqual(["Deleted HTTPRoute many-49 HEAD:deploy/many/49.yaml"]);
    expect(plan.objects).toHaveLength(55);
  });
});

describe("links", () => {
  test("are followed in the commit, to files and to directories", async () => {
    const { root, write, git } = scratchRepository([start]);
    mkdirSync(join(root, "live"));
    symlinkSync("../deploy/shop", join(root, "live/shop"));
    symlinkSync("../deploy/gateway.yaml", join(root, "live/gateway.yaml"));
    git("add", "--all");
    git("commit", "--quiet", "-m", "links");
    write({ "deploy/shop/routes.yaml": route("a") });
    for (const path of ["live", "live/shop"])
      expect(changesIn(await planOf(root, "HEAD", path))).toEqual(["Deleted HTTPRoute b HEAD:live/shop/routes.yaml"]);
  });

  test("that lead out of the repository, or in a circle", async () => {
    const elsewhere = scratchFolder();
    execFileSync("cp", ["-r", "examples/bakery", elsewhere]);
    const { root, git } = scratchRepository([start]);
    symlinkSync(join(elsewhere, "bakery"), join(root, "deploy/bakery"));
    git("add", "--all");
    git("commit", "--quiet", "-m", "a link");
    const plan = await planOf(root);
    expect(changesIn(plan)).toEqual([]);
    expect(plan.caveats).toMatchObject([
      {
        code: "NotInCommit",
        message: `1 path is not compared and left out: HEAD:deploy/bakery is a symbolic link that leads out of the repository, to ${elsewhere}/bakery`,
      },
    ]);
    symlinkSync("circle.yaml", join(root, "deploy/circle.yaml"));
    git("add", "--all");
    git("commit", "--quiet", "-m", "a circle");
    const { code, stderr } = await runCli(["plan", "--git", "HEAD", "-f", join(root, "deploy")]);
    expect([code, stderr]).toEqual([
      65,
      expect.stringContaining("HEAD:deploy/circle.yaml: cannot be read: too many symbolic links"),
    ]);
  });
});

describe("what a commit does not have is left out of both sides, with a caveat", () => {
  test("submodules", async () => {
    const other = scratchRepository([{ "c.yaml": route("c") }]);
    const { root, git } = scratchRepository([start]);
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.root, "deploy/lib");
    git("commit", "--quiet", "-m", "a submodule");
    const message = (file: string): string =>
      `1 path is not compared and left out: ${file} is a submodule, whose files are in another repository`;
    for (const [revision, file] of [
      ["HEAD", "HEAD:deploy/lib"],
      ["HEAD~1", "deploy/lib"],
    ] as const) {
      const plan = await planOf(root, revision);
      expect(changesIn(plan)).toEqual([]);
      expect(plan.caveats).toMatchObject([{ code: "NotInCommit", message: message(file) }]);
    }
    const { code, stdout } = await runCli(["plan", "--git", "HEAD", "--exit-code", "-f", join(root, "deploy")]);
    expect([code, stdout]).toEqual([1, expect.stringContaining("As far as the files show, nothing changes")]);
  });

  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 12345\n`;

  test("Git LFS pointers, whether the working tree has the content or not", async () => {
    const { root, write } = scratchRepository([{ ...start, "deploy/big.yaml": pointer }]);
    for (const text of [pointer, route("big")]) {
      write({ "deploy/big.yaml": text });
      for (const path of ["deploy", "deploy/big.yaml"]) {
        const plan = await planOf(root, "HEAD", path, "deploy/gateway.yaml");
        expect(changesIn(plan)).toEqual([]);
        expect(plan.caveats.find(({ code }) => code === "NotInCommit")?.message).toBe(
          "1 path is not compared and left out: HEAD:deploy/big.yaml is a Git LFS pointer, whose content is not in the repository",
        );
      }
    }
  });

  test("files that git ignores", async () => {
    const { root, write } = scratchRepository([{ ...start, ".gitignore": "build/\n" }]);
    write({ "deploy/build/a.yaml": route("x"), "deploy/build/b.yaml": route("y"), "deploy/build/c.txt": "z" });
    const plan = await planOf(root);
    expect(changesIn(plan)).toEqual([]);
    expect(plan.caveats).toMatchObject([
      { message: "1 path is not compared and left out: deploy/build/a.yaml is a file that git ignores, as 1 more is" },
    ]);
  });
});

describe("both sides count", () => {
  test("mistakes at the commit are errors, with their position there", async () => {
    const { root, write } = scratchRepository([{ ...start, "deploy/broken.yaml": "apiVersion: v1\nkind: [Service\n" }]);
    write({
      "deploy/broken.yaml": route("c"),
      "deploy/bad.yaml": route("bad").replace("rules: [{name: one}]", "rules: 1"),
    });
    const { code, stderr, stdout } = await runCli(["plan", "--git", "HEAD", "-f", join(root, "deploy")]);
    expect(code).toBe(65);
    expect(stderr).toMatch(/^error: HEAD:deploy\/broken\.yaml:3:1: /m);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(`error: ${root}/deploy/bad.yaml:4:`);
    expect(stdout).toContain("+ create HTTPRoute shop/c");
    expect(stdout).toContain("HEAD:deploy/broken.yaml:3: 1 document could not be used");
  });

  test("caveats of either side", async () => {
    const { root, write } = scratchRepository([{ ...start, "deploy/gateway.yaml": "# empty\n" }]);
    expect((await planOf(root)).caveats.map(({ code }) => code)).toEqual(["AbsentParent", "AbsentTarget"]);
    write({ "deploy/gateway.yaml": gateway });
    expect((await planOf(root)).caveats.map(({ code }) => code)).toEqual(["AbsentParent", "AbsentTarget"]);
  });
});

describe("mistakes", () => {
  const repository = scratchRepository([start]);
  const { root } = repository;
  const deploy = join(root, "deploy");
  const errorOf = async (...args: readonly string[]): Promise<string> => {
    const { code, stderr, stdout } = await runCli(["plan", ...args]);
    expect([code >= 64, stdout]).toEqual([true, ""]);
    return stderr.replaceAll(root, "REPOSITORY").replaceAll(/\s*\n\s+/g, " ");
  };

  for (const [what, args, message] of [
    [
      "an unknown commit",
      ["--git", "mian", "-f", deploy],
      "--git mian: no such commit in the repository REPOSITORY; did you mean 'main'?",
    ],
    [
      "a file instead of a commit",
      ["--git", "main:deploy", "-f", deploy],
      "--git main:deploy: no such commit in the repository REPOSITORY",
    ],
    [
      "a range",
      ["--git", "main..HEAD", "-f", deploy],
      "--git main..HEAD is not a commit: name one, such as HEAD or origin/main",
    ],
    [
      "an option for git",
      ["--git=--output=/tmp/x", "-f", deploy],
      "--git --output=/tmp/x is not a commit: name one, such as HEAD or origin/main",
    ],
    [
      "a path on neither side",
      ["--git", "main", "-f", join(root, "deplyo")],
      "REPOSITORY/deplyo: no such file or directory, neither at main nor in the working tree",
    ],
    ["no path", ["--git", "main"], "--git needs paths: name the files to compare with -f FILE or -f DIR"],
    ["standard input", ["--git", "main", "-f", "-"], "--git compares files: standard input (-f -) is in no commit"],
    [
      "--git and --apply",
      ["--git", "main", "--apply", "x", "-f", deploy],
      "--git compares with the working tree: it cannot be combined with --apply, --delete or --against",
    ],
    [
      "an unknown namespace",
      ["--git", "main", "-n", "shpo", "-f", deploy],
      "-n shpo: no object is in namespace 'shpo'; did you mean 'shop'?",
    ],
  ] as const) {
    test(what, async () => {
      expect((await errorOf(...args)).split("\n")[0]).toBe(`error: ${message}`);
    });
  }

  test("no objects on either side", async () => {
    const empty = scratchRepository([{ "deploy/values.yaml": "a: 1\n" }]);
    expect(await errorOf("--git", "HEAD", "-f", join(empty.root, "deploy"))).toContain(
      "/deploy, neither at HEAD nor in the working tree",
    );
  });

  test("a path in another repository, and one in none", async () => {
    const other = scratchRepository([start]);
    expect(await errorOf("--git", "main", "-f", deploy, "-f", join(other.root, "deploy"))).toContain(
      `--git: ${other.root}/deploy is not in the repository REPOSITORY, which has REPOSITORY/deploy\n`,
    );
    const none = scratchFolder();
    expect(await errorOf("--git", "main", "-f", none)).toBe(
      `error: --git: ${none} is not in a git repository\nTo compare two directories: prevail plan -f OLD --against NEW\n`,
    );
  });

  test("a repository without commits", async () => {
    const young = scratchRepository();
    young.write(start);
    expect(await errorOf("--git", "HEAD", "-f", join(young.root, "deploy"))).toBe(
      `error: --git HEAD: the repository ${young.root} has no commit yet\n`,
    );
  });

  test("a shallow clone without the commit says how to fetch it", async () => {
    const folder = scratchFolder();
    const deep = scratchRepository([start, { "deploy/policies.yaml": retries(3) }]);
    const clone = (name: string, ...args: readonly string[]): string => {
      const to = join(folder, name);
      execFileSync("git", ["clone", "--quiet", ...args, `file://${deep.root}`, to], { env: gitEnvironment });
      return join(to, "deploy");
    };
    const [shallow, whole] = [clone("shallow", "--depth=1"), clone("whole")];
    expect((await errorOf("--git", "HEAD~1", "-f", shallow)).replaceAll(/\s+/g, " ")).toMatch(
      /no such commit .* This is a shallow clone, .*'git fetch --unshallow', or 'fetch-depth: 0' for actions\/checkout/,
    );
    expect(await errorOf("--git", "HEAD~9", "-f", whole)).not.toContain("shallow");
    expect(await errorOf("--git", "v1", "-f", whole)).not.toContain("did you mean");
    expect((await runCli(["plan", "--git", "origin/main", "-f", shallow])).code).toBe(0);
  });
});

test("the repository of a hook's environment is not mistaken for that of the files", async () => {
  const hooked = scratchRepository([{ "x.txt": "" }]);
  const { root, write } = scratchRepository([start]);
  write({ "deploy/policies.yaml": retries(8) });
  const known = { ...process.env };
  try {
    Object.assign(process.env, { GIT_DIR: join(hooked.root, ".git"), GIT_WORK_TREE: hooked.root, GIT_INDEX_FILE: "x" });
    expect(changesIn(await planOf(root))).toHaveLength(1);
  } finally {
    for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]) {
      if (known[name] === undefined) delete process.env[name];
      else process.env[name] = known[name];
    }
  }
});
