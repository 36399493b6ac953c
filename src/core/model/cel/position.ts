import { type CelError, CelSyntaxError, type CelUnsupported } from "./values.ts";

/** The message of an error, with its line and column in the expression, if they are known. */
export function withPosition(error: CelError | CelUnsupported, source: string): string {
  const { message, at } = error;
  const before = error instanceof CelSyntaxError ? "syntax error: " : "";
  return at === undefined ? `${before}${message}` : `${before}${positionOf(source, at)}: ${message}`;
}

/** `line:column`, both from 1. */
function positionOf(source: string, offset: number): string {
  const lines = source.slice(0, offset).split(/\r\n|\r|\n/);
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}
