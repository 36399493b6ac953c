import type { LoadedSource } from "../../sources/load-source.ts";
import { workflowCommand } from "../print/markup/workflow-command.ts";
import type { CaseReport, TestReport } from "./report.ts";
import { failureLines } from "./text.ts";

/** Workflow commands of GitHub Actions: an error for each case that fails and each mistake, a notice for each case that passes with caveats. */
export function reportGithub({ tests, mistakes }: TestReport, source: LoadedSource): string {
  const lines = tests.flatMap(({ test, cases }) => cases.flatMap((own) => caseLine(test.name, own, source)));
  const wrong = mistakes.map(({ message, position, object }) =>
    workflowCommand({ level: "error", title: `mistake in ${object.name}`, position, hasLine: true, message }),
  );
  return [...lines, ...wrong].join("");
}

function caseLine(test: string, own: CaseReport, source: LoadedSource): readonly string[] {
  const { result, state, caveats, position, failedAt } = own;
  const title = `${test}: ${result.testCase.name}`;
  if (state === "Failed") {
    const message = failureLines(own, source).join("\n");
    return [workflowCommand({ level: "error", title, position: failedAt, hasLine: true, message })];
  }
  if (caveats.length === 0) return [];
  const message = `passed, with caveats: ${caveats.map((caveat) => caveat.message).join("; ")}`;
  return [workflowCommand({ level: "notice", title, position, hasLine: true, message })];
}
