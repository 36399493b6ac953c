/** Formats YAML in block style. Every scalar that a YAML 1.1 or 1.2 parser could misread is quoted. */
export function formatYaml(value: unknown): string {
  return `${block(value, "").replace(/^ |^\n/, "")}\n`;
}

/** The text after `key:` or `-`: a scalar on the same line, or lines below it. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? " []" : items(value, indent);
  if (typeof value !== "object" || value === null)
    return ` ${typeof value === "string" ? scalar(value) : (JSON.stringify(value) ?? "null")}`;
  const present = Object.entries(value).filter(([, own]) => own !== undefined);
  return present.length === 0 ? " {}" : entries(present, indent);
}

const entries = (present: ReadonlyArray<readonly [string, unknown]>, indent: string): string =>
  present
    // Lists are not indented below their key, as in kubectl.
    .map(([key, value]) => `\n${indent}${scalar(key)}:${block(value, Array.isArray(value) ? indent : `${indent}  `)}`)
    .join("");

const items = (list: readonly unknown[], indent: string): string =>
  list
    .map((item) => {
      const text = block(item, `${indent}  `);
      // The first line of a mapping or list follows the dash.
      return `\n${indent}-${text.startsWith("\n") ? ` ${text.slice(indent.length + 3)}` : text}`;
    })
    .join("");

/** Matches words that are strings in YAML 1.1 and 1.2. */
const PLAIN = /^[A-Za-z_/.][A-Za-z0-9_/.-]*(?: [A-Za-z0-9_/.>=<-]+)*$/;
const SPECIAL = /^(?:y|n|yes|no|on|off|true|false|null|\.nan|[-+.]?\.?inf|[.\d]+(?:e[-+]?\d+)?)$/i;

const scalar = (text: string): string => (PLAIN.test(text) && !SPECIAL.test(text) ? text : quoted(text));

/** Quotes as JSON does, and escapes the characters that YAML does not allow. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
