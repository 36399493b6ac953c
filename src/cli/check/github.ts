import type { Severity } from "../../core/model/finding.ts";
import { formatRef } from "../../core/model/refs.ts";
import { type FindingReport, isAboutPath, type ReportedFinding } from "./finding-report.ts";

const commands: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice" };

/** Workflow commands of GitHub Actions, one for each finding. GitHub shows them as annotations on a pull request. */
export const findingsGithub = ({ findings }: FindingReport): string =>
  findings.map((one) => `${lineOf(one)}\n`).join("");

function lineOf(finding: ReportedFinding): string {
  const { code, severity, object, message, fix, position } = finding;
  const name = object === undefined ? "" : formatRef(object);
  const text = [name === "" || message.includes(name) ? message : `${name}: ${message}`, fix ?? ""]
    .filter((part) => part !== "")
    .join("\n");
  const properties: readonly (readonly [string, string | number])[] = [
    ...(position === undefined || position.file.startsWith("<") ? [] : [["file", position.file] as const]),
    ...(position === undefined || position.file.startsWith("<") || isAboutPath(finding)
      ? []
      : ([
          ["line", position.line],
          ["col", position.column],
        ] as const)),
    ["title", code],
  ];
  const written = properties.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(",");
  return `::${commands[severity]} ${written}::${escapeData(text)}`;
}

/** Escapes characters that have a meaning in workflow commands: line ends, `%`, `:` and `,`. */
const escapeData = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text: string): string => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
