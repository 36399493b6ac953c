import type { Severity } from "../../core/model/finding.ts";
import { type Annotation, workflowCommand } from "../print/markup/workflow-command.ts";
import { type FindingReport, isAboutPath, type ReportedFinding } from "./finding-report.ts";

const levels: Readonly<Record<Severity, Annotation["level"]>> = { error: "error", warning: "warning", info: "notice" };

/** Workflow commands of GitHub Actions, one for each finding. `nameOf` is the name of a file relative to the root of the repository. */
export const findingsGithub = ({ findings }: FindingReport, nameOf: (file: string) => string): string =>
  findings.map((finding) => lineOf(finding, nameOf)).join("");

function lineOf(finding: ReportedFinding, nameOf: (file: string) => string): string {
  const { code, severity, name = "", message, fix, position } = finding;
  const text = [name === "" || message.includes(name) ? message : `${name}: ${message}`, fix ?? ""]
    .filter((part) => part !== "")
    .join("\n");
  return workflowCommand({
    level: levels[severity],
    title: code,
    position: position === undefined ? undefined : { ...position, file: nameOf(position.file) },
    hasLine: !isAboutPath(finding),
    message: text,
  });
}
