import type { SourcePosition } from "../kube-object.ts";

/** `policies.yaml:12:5`, which terminals and editors turn into a link. */
export const formatPosition = ({ file, line, column }: SourcePosition): string => `${file}:${line}:${column}`;

/** `policies.yaml:12`, for prose. */
export const formatLine = ({ file, line }: SourcePosition): string => `${file}:${line}`;
