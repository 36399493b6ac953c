/** YAML in block style that every reader takes back as the same data: whatever could be misread is quoted. */
export function formatYaml(value: unknown): string {
  return `${block(value, "").replace(/^ |^\n/, "")}\n`;
}

/** What follows `key:` or `-`: a scalar on the same line, or lines below. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? " []" : items(value, indent);
  if (typeof value !== "object" || value === null)
    return ` ${typeof value === "string" ? scalar(value) : (JSON.stringify(value) ?? "null")}`;
  const present = Object.entries(value).filter(([, own]) => own !== undefined);
  return present.length === 0 ? " {}" : entries(present, indent);
}

const entries = (present: ReadonlyArray<readonly [string, unknown]>, indent: string): string =>
  present
    // Lists stand below their key without further indentation, as kubectl writes them.
    .map(([key, value]) => `\n${indent}${scalar(key)}:${block(value, Array.isArray(value) ? indent : `${indent}  `)}`)
    .join("");

const items = (list: readonly unknown[], indent: string): string =>
  list
    .map((item) => {
      const text = block(item, `${indent}  `);
      // The first line of a mapping or list goes beside the dash.
      return `\n${indent}-${text.startsWith("\n") ? ` ${text.slice(indent.length + 3)}` : text}`;
    })
    .join("");

/** Words that are strings to every reader of YAML 1.1 and 1.2. */
const PLAIN = /^[A-Za-z_/.][A-Za-z0-9_/.-]*(?: [A-Za-z0-9_/.>=<-]+)*$/;
const SPECIAL = /^(?:y|n|yes|no|on|off|true|false|null|\.nan|[-+.]?\.?inf|[.\d]+(?:e[-+]?\d+)?)$/i;

const scalar = (text: string): string => (PLAIN.test(text) && !SPECIAL.test(text) ? text : quoted(text));

/** JSON's quoting is YAML's too, but for characters that YAML does not print. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
