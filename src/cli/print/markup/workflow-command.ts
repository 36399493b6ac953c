import type { SourcePosition } from "../../../core/model/kube-object.ts";

export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly title: string;
  /** A position in standard input has no file, so it is left out. */
  readonly position: SourcePosition | undefined;
  /** False: the annotation is about the file as a whole. */
  readonly hasLine: boolean;
  readonly message: string;
}

/** A workflow command of GitHub Actions, which GitHub shows as an annotation on a pull request. */
export function workflowCommand({ level, title, position, hasLine, message }: Annotation): string {
  const at = position === undefined || position.file.startsWith("<") ? undefined : position;
  const properties: readonly (readonly [string, string | number])[] = [
    ...(at === undefined ? [] : [["file", at.file] as const]),
    ...(at === undefined || !hasLine
      ? []
      : ([
          ["line", at.line],
          ["col", at.column],
        ] as const)),
    ["title", title],
  ];
  const written = properties.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(",");
  return `::${level} ${written}::${escapeData(message)}\n`;
}

/** Escapes characters that have a meaning in workflow commands: line ends, `%`, `:` and `,`. */
const escapeData = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text: string): string => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
