/** An XML element. Formatting escapes its text and attributes. */
export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (SvgElement | string)[];
}

export const svg = (
  name: string,
  attributes: SvgElement["attributes"] = {},
  ...children: SvgElement["children"]
): SvgElement => ({ name, attributes, children });

export function renderSvg({ name, attributes, children }: SvgElement, indent = ""): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join("");
  if (children.length === 0) return `${indent}<${name}${written}/>\n`;
  if (children.every((child) => typeof child === "string")) {
    return `${indent}<${name}${written}>${escapeXml(children.join(""))}</${name}>\n`;
  }
  const inner = children.map((child) =>
    typeof child === "string" ? `${indent}  ${escapeXml(child)}\n` : renderSvg(child, `${indent}  `),
  );
  return `${indent}<${name}${written}>\n${inner.join("")}${indent}</${name}>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Replaces characters that XML does not allow by spaces. */
const escapeXml = (text: string): string =>
  Array.from(text, (character) => ENTITIES[character] ?? (isAllowed(character) ? character : " ")).join("");

function isAllowed(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code >= 0x20
    ? code !== 0xfffe && code !== 0xffff
    : character === "\t" || character === "\n" || character === "\r";
}
