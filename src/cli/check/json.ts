import type { SourcePosition } from "../../core/model/kube-object.ts";
import { caveatsJson } from "../caveats/json.ts";
import { API_VERSION } from "../print/data/effective-json.ts";
import { type FindingReport, isAboutPath, type ReportedFinding, severities } from "./finding-report.ts";

/** `check -o json`; `docs/schemas/finding-list.json` describes it. */
export const findingsJson = ({ findings, hidden, ignored, stale, caveats }: FindingReport): object => ({
  apiVersion: API_VERSION,
  kind: "FindingList",
  items: findings.map(itemJson),
  summary: {
    ...Object.fromEntries(
      severities.map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length]),
    ),
    hidden,
    ignored: ignored.length,
  },
  ignored: ignored.map(({ finding, by }) => ({ by, ...itemJson(finding) })),
  staleBaseline: stale,
  caveats: caveatsJson(caveats),
});

function itemJson(finding: ReportedFinding): object {
  const { code, severity, object, field, message, fix, position, related } = finding;
  return {
    code,
    severity,
    ...(position === undefined ? {} : { at: isAboutPath(finding) ? { file: position.file } : positionJson(position) }),
    ...(object === undefined ? {} : { object }),
    ...(field === undefined ? {} : { field }),
    message,
    ...(fix === undefined ? {} : { fix }),
    ...(related.length === 0
      ? {}
      : {
          related: related.map(({ message: other, position: at }) => ({
            ...(at === undefined ? {} : { at: positionJson(at) }),
            message: other,
          })),
        }),
  };
}

const positionJson = ({ file, line, column }: SourcePosition): object => ({ file, line, column });
