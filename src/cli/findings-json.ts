import type { SourcePosition } from "../core/model/kube-object.ts";
import { API_VERSION } from "./effective-json.ts";
import { type FindingReport, isAboutPath, type ReportedFinding, severities } from "./finding-report.ts";

/** For programs: `{apiVersion, kind: FindingList, items, summary}`. Names of fields are stable. */
export const findingsJson = ({ findings, hidden }: FindingReport): object => ({
  apiVersion: API_VERSION,
  kind: "FindingList",
  items: findings.map(itemJson),
  summary: {
    ...Object.fromEntries(
      severities.map((severity) => [severity, findings.filter((finding) => finding.severity === severity).length]),
    ),
    hidden,
  },
});

function itemJson(finding: ReportedFinding): object {
  const { code, severity, object, field, message, mend, place, related } = finding;
  return {
    code,
    severity,
    ...(place === undefined ? {} : isAboutPath(finding) ? { file: place.file } : placeJson(place)),
    ...(object === undefined ? {} : { object }),
    ...(field === undefined ? {} : { field }),
    message,
    ...(mend === undefined ? {} : { mend }),
    ...(related.length === 0
      ? {}
      : {
          related: related.map(({ message: other, place: at }) => ({
            ...(at === undefined ? {} : placeJson(at)),
            message: other,
          })),
        }),
  };
}

const placeJson = ({ file, line, column }: SourcePosition): object => ({ file, line, column });
