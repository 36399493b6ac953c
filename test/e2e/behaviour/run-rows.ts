/** Runs the rows against a data plane and compares the results. */
import { expect } from "vitest";
import { askRow, type RowResponse } from "./ask-row.ts";
import type { StartedRow } from "./behaviour-cluster.ts";
import type { RowExpectation } from "./behaviour-row.ts";
import { nowMs, type SeenAttempt } from "./recording-backend.ts";

export async function runRow(port: number, { row, host, log }: StartedRow): Promise<void> {
  const responses: RowResponse[] = [];
  const askedMs = nowMs();
  for (let time = 0; time < (row.repeat ?? 1); time++) responses.push(await askRow(port, host, row.request));
  expectResponses(responses, row.expect, row.request?.echo);
  expectAttempts(log.seen, row.expect, askedMs);
}

function expectResponses(responses: readonly RowResponse[], wanted: RowExpectation, echoed: string | undefined): void {
  const last = responses.at(-1);
  if (last === undefined) throw new Error("a row asks at least once");
  const allowed = typeof wanted.status === "number" ? [wanted.status] : wanted.status;
  for (const { status } of responses) expect(allowed, "the status of each response").toContain(status);
  expect(last.isCut, "whether the response was cut off").toBe(wanted.isCut === true);
  if (echoed !== undefined && allowed.includes(101)) expect(last.body, "what came back").toBe(echoed);
  if (wanted.body !== undefined) expect(last.body, "the body of the response").toBe(wanted.body);
  for (const part of wanted.bodyIncludes ?? []) expect(last.body, "the body of the response").toContain(part);
  for (const part of wanted.bodyExcludes ?? []) expect(last.body, "the body of the response").not.toContain(part);
  for (const [name, value] of Object.entries(wanted.headers ?? {})) {
    expect(last.headers[name], `header ${name} of the response`).toBe(value);
  }
  for (const [name, value] of Object.entries(wanted.trailers ?? {})) {
    expect(last.trailers[name], `trailer ${name} of the response`).toBe(value);
  }
  if (wanted.tookMs !== undefined) {
    expect(last.tookMs, "milliseconds until the end of the response").toBeGreaterThanOrEqual(wanted.tookMs);
  }
}

function expectAttempts(seen: readonly SeenAttempt[], wanted: RowExpectation, askedMs: number): void {
  const [least, most] = typeof wanted.attempts === "number" ? [wanted.attempts, wanted.attempts] : wanted.attempts;
  expect(seen.length, "attempts that backends saw").toBeGreaterThanOrEqual(least);
  expect(seen.length, "attempts that backends saw").toBeLessThanOrEqual(most);
  if (wanted.lastEndpoints !== undefined) {
    const last = new Set(seen.slice(Math.ceil(seen.length / 2)).map(({ endpoint }) => endpoint));
    expect(
      [...last].sort((a, b) => a - b),
      "endpoints that saw the last half of the attempts",
    ).toEqual(wanted.lastEndpoints);
  }
  for (const [index, gapMs] of (wanted.gapsMs ?? []).entries()) {
    const failedMs = seen[index]?.doneMs ?? Number.POSITIVE_INFINITY;
    const nextMs = seen[index + 1]?.arrivedMs ?? Number.NEGATIVE_INFINITY;
    expect(nextMs - failedMs, `milliseconds between attempt ${index + 1} and the next`).toBeGreaterThanOrEqual(gapMs);
  }
  if (wanted.lastAttemptMs !== undefined) {
    const last = seen.at(-1)?.arrivedMs ?? 0;
    expect(last - askedMs, "milliseconds from asking to the last attempt").toBeGreaterThanOrEqual(wanted.lastAttemptMs);
  }
  for (const { bodyBytes, target, headers } of seen) {
    if (wanted.sawBodyBytes !== undefined) expect(bodyBytes, "bytes that a backend got").toBe(wanted.sawBodyBytes);
    if (wanted.sawTarget !== undefined) expect(target, "what a backend was asked for").toBe(wanted.sawTarget);
    for (const [name, value] of Object.entries(wanted.sawHeaders ?? {})) {
      expect(headers.get(name), `header ${name} that a backend got`).toBe(value);
    }
  }
}
