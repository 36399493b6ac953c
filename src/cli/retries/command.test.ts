import { expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

test("prints each attempt, and the attempts that do not fit into the timeout", async () => {
  const { stdout, code } = await runCli("retries --attempts 3 --backoff 250ms --backend-request 2s --request 5s", {
    columns: 100,
  });
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      "attempt 1, up to 2s → wait 250ms to 313ms → attempt 2, up to 2s → wait 500ms to 625ms → attempt 3,",
      "  up to 2s → wait 1s to 1s250ms → attempt 4, up to 2s",
      "At most 4 attempts; the client waits at most 5s.",
      "Attempt 4 may come too late: if the attempts before take their time, the request times out first,",
      "  after 5s.",
      "While everything fails, backends see 4 times the requests that clients send.",
      "",
    ].join("\n"),
  );
});

test("a backoff that outlasts the request", async () => {
  const { stdout } = await runCli("retries --attempts 2 --backoff 1s --request 1s");
  expect(stdout).toContain(
    "Attempts 2 to 3 can never start: the request times out after 1s, before the waits are over.",
  );
  expect(stdout).toContain("At most 1 attempt; the client waits at most 1s.");
});

test("-o json", async () => {
  const { stdout } = await runCli("retries --attempts 1 --backoff 100ms -o json");
  expect(JSON.parse(stdout)).toMatchObject({
    kind: "RetryTimeline",
    amplification: 2,
    attempts: [{ number: 1 }, { number: 2, waitMs: { least: 100, most: 125 }, fits: "always" }],
  });
});

test.each([
  ["retries --attempts -1", "--attempts is '-1'"],
  ["retries --attempts=two", "--attempts is 'two': give a whole number"],
  ["retries --attempts 1000000000", "--attempts is '1000000000': give a whole number from 0 to 999999999"],
  ["retries --attempts=two", "See 'prevail help retries'."],
  ["retries --backoff 1.5s", "--backoff is '1.5s': give a duration such as 250ms"],
  ["retries 3", "unexpected argument '3'"],
])("%s is refused in plain words", async (line, message) => {
  const { stdout, stderr, code } = await runCli(line);
  expect({ stdout, code }).toEqual({ stdout: "", code: 64 });
  expect(stderr).toContain(message);
});
