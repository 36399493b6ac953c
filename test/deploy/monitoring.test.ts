/** Alerts and dashboard: they use metrics that there are, and promtool accepts them. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { createProcessMetrics } from "../../src/adapters/admin/process-metrics.ts";
import { createRetryWorth } from "../../src/gateway/observe/retry-worth.ts";
import { createControllerMetrics } from "../../src/serve/controller/controller-metrics.ts";
import { createEvaluationMetrics } from "../../src/serve/controller/evaluation-metrics.ts";
import { createReportMetrics } from "../../src/serve/controller/report-metrics.ts";
import { createWebhookMetrics } from "../../src/serve/controller/webhook-metrics.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** What the controller exposes before it has read a cluster: every family, with its help and type. Histograms have series only after an event. */
function exposed(): string {
  const process = createProcessMetrics();
  const report = createReportMetrics({
    counts: () => ({ queued: 0, stopped: 0, held: new Map(), computed: { times: 0, ms: 0 } }),
    isLeading: () => false,
  });
  const webhook = createWebhookMetrics();
  webhook.noteReview("deny", "NotCovered", 2);
  webhook.noteHandshake({ reason: "certificate", client: "10.0.0.1", message: "unknown ca" });
  const metrics = createControllerMetrics({
    version: "test",
    reviews: { asked: () => 0, cached: () => 0 },
    objects: () => 0,
    isSynced: () => false,
    counts: { lists: 0, watches: 0 },
    parts: [
      ...createEvaluationMetrics({ current: () => undefined, nowMs: () => 0 }),
      ...report.families,
      ...webhook.families,
      ...process.families,
      ...createRetryWorth(() => 0).families,
    ],
  });
  process.close();
  return metrics.render();
}
const families = [...exposed().matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => ({ name, type }));

/** Names of our metrics in an expression; those of a histogram without their suffix. */
const namesIn = (text: string): readonly string[] =>
  [
    ...new Set([...text.matchAll(/\b(?:prevail|process)_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, ""))),
  ].sort();

const expressions = {
  "deploy/chart/files/alerts.yaml": [...read("deploy/chart/files/alerts.yaml").matchAll(/^ +expr: (.*)$/gm)],
  "deploy/chart/files/dashboard.json": [...read("deploy/chart/files/dashboard.json").matchAll(/"expr": (".*")/g)],
};

describe.each(Object.entries(expressions))("%s", (_, found) => {
  const names = namesIn(found.map(([, expression]) => expression).join("\n"));

  test("uses metrics that the controller exposes", () => {
    expect(names.length).toBeGreaterThan(4);
    const known = new Set(families.map(({ name }) => name));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

test("docs/metrics.md lists every metric, with its type, and no other", () => {
  const rows = [...read("docs/metrics.md").matchAll(/^\| `([a-z_]+)` \| (\w+) \|/gm)];
  const listed = rows.map(([, name, type]) => `${name} ${type}`).sort();
  expect(listed).toEqual(families.map(({ name, type }) => `${name} ${type}`).sort());
});

test("every alert has a summary and a description", () => {
  const text = read("deploy/chart/files/alerts.yaml");
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const alerts = count(/^ +- alert:/gm);
  expect(alerts).toBeGreaterThan(8);
  expect([count(/^ +summary:/gm), count(/^ +description:/gm), count(/severity:/g)]).toEqual([alerts, alerts, alerts]);
});

describe("promtool", () => {
  let isThere = false;
  const missing = "promtool is not installed: node scripts/provision-programs.mjs promtool";
  beforeAll(() => {
    isThere = spawnSync("promtool", ["--version"], { stdio: "ignore" }).status === 0;
    if (isThere || process.env["CI"] !== "true") return;
    const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/provision-programs.mjs"), "promtool"], {
      encoding: "utf8",
      timeout: 300_000,
    });
    if (status !== 0) throw new Error(`promtool is needed in CI: ${stderr.trim()}`);
    isThere = true;
  }, 310_000);

  const promtool = (args: readonly string[], input?: string) =>
    spawnSync("promtool", args, {
      encoding: "utf8",
      cwd: join(root, "deploy/monitoring"),
      ...(input === undefined ? {} : { input }),
    });

  test.for<[string, readonly string[]]>([
    ["accepts the rules", ["check", "rules", "../chart/files/alerts.yaml"]],
    ["runs their tests", ["test", "rules", "alerts.test.yaml"]],
  ])("%s", ([, args], { skip }) => {
    if (!isThere) {
      process.stderr.write(`left out: ${missing}\n`);
      skip(missing);
    }
    const { status, stdout, stderr } = promtool(args);
    expect(status, stdout + stderr).toBe(0);
    expect(stdout + stderr).toContain("SUCCESS");
  });

  test("accepts the metrics", ({ skip }) => {
    if (!isThere) skip(missing);
    const { status, stdout, stderr } = promtool(["check", "metrics"], exposed());
    expect([status, stdout + stderr]).toEqual([0, ""]);
  });
});
