import { type Parsed, refuse, type Template, type TemplatePart } from "./json-path.ts";
import { parseSteps } from "./parse-steps.ts";
import { indexOutside } from "./scan-text.ts";

/** Parses a whole template: text with expressions in braces. */
export function parseTemplate(text: string): Parsed<Template> {
  const parsed = parseParts(text, 0, false);
  return parsed.ok ? { ok: true, value: parsed.value.parts } : parsed;
}

interface Parts {
  readonly parts: Template;
  /** The index after the last part that was read. */
  readonly next: number;
}

/** Parses text and expressions, inside of a range up to its `{end}`. */
function parseParts(text: string, from: number, isInRange: boolean): Parsed<Parts> {
  const parts: TemplatePart[] = [];
  let at = from;
  while (at < text.length) {
    const open = text.indexOf("{", at);
    if (open !== at) parts.push({ type: "text", text: text.slice(at, open === -1 ? undefined : open) });
    if (open === -1) return isInRange ? refuse("{range …} has no {end}") : done(parts, text.length);
    const close = indexOutside(text, open + 1, (character) => character === "}");
    if (close === -1) return refuse(`'${text.slice(open)}' has no closing brace`);
    const action = text.slice(open + 1, close).trim();
    at = close + 1;
    if (action === "end") return isInRange ? done(parts, at) : refuse("{end} is not in a {range …}");
    if (/^range(?![\w-])/.test(action)) {
      const steps = parseSteps(action.slice("range".length));
      if (!steps.ok) return steps;
      const body = parseParts(text, at, true);
      if (!body.ok) return body;
      parts.push({ type: "range", steps: steps.value, body: body.value.parts });
      at = body.value.next;
    } else {
      const steps = parseSteps(action);
      if (!steps.ok) return steps;
      parts.push({ type: "expression", steps: steps.value });
    }
  }
  return isInRange ? refuse("{range …} has no {end}") : done(parts, at);
}

const done = (parts: Template, next: number): Parsed<Parts> => ({ ok: true, value: { parts, next } });
