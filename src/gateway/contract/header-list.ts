/** Headers or trailers of a message, in the order in which they are sent: name, value, name, value. Names are in lower case. */
export type HeaderList = readonly string[];

/** One header line of HTTP/1.1. The caller has checked name and value. */
export const formatHeader = (name: string, value: string): string => `${name}: ${value}\r\n`;

/** All header lines of HTTP/1.1, without the empty line at the end. */
export function formatHeaders(headers: HeaderList): string {
  let text = "";
  for (let i = 0; i < headers.length; i += 2) text += formatHeader(headers[i] ?? "", headers[i + 1] ?? "");
  return text;
}

/** The first value of a header. */
export function findHeader(headers: HeaderList, name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1] ?? "";
  return undefined;
}

export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) values.push(headers[i + 1] ?? "");
  return values;
}

export function withoutHeaders(headers: HeaderList, names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    if (!names.has(name)) kept.push(name, headers[i + 1] ?? "");
  }
  return kept;
}

/** Configured text as a header value: characters that a header cannot contain are removed. */
export const headerText = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "");

/** One entry per name. Values of the same name are joined by commas (RFC 9110, 5.3), cookies by semicolons. */
export function joinHeaders(headers: HeaderList): readonly (readonly [name: string, value: string])[] {
  const joined = new Map<string, string>();
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? "";
    const value = headers[i + 1] ?? "";
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}${name === "cookie" ? "; " : ", "}${value}`);
  }
  return [...joined];
}
