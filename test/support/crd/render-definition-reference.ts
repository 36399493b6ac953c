import type { PolicyDefinition, TargetKind } from "../../../src/core/model/definition.ts";
import { formatLevel } from "../../../src/core/model/levels.ts";
import { definitionSchema } from "../../../src/core/model/schema/own-kinds/definition-schema.ts";
import type { Schema } from "../../../src/core/model/schema/schema.ts";

/** One row per field of a PolicyDefinition, nested ones below their parent. */
export function renderFields(): string {
  const rows: string[] = [];
  addRows(definitionSchema, "spec", rows);
  return table(["field", "type", "default", "meaning"], rows);
}

function addRows({ properties = {}, required = [] }: Schema, parent: string, rows: string[]): void {
  for (const [name, schema] of Object.entries(properties)) {
    const path = `${parent}.${name}`;
    const byDefault = required.includes(name) ? "**required**" : (schema["x-prevail-default"] ?? "");
    rows.push(row([`\`${path}\``, formatType(schema), byDefault, schema.description ?? ""]));
    addInner(schema, path, rows);
  }
}

/** Kinds and levels occur in many fields: the page describes them once, above the table. */
function addInner(schema: Schema, path: string, rows: string[]): void {
  const { items, additionalProperties: values } = schema;
  if (items !== undefined) addInner(items, `${path}[]`, rows);
  else if (typeof values === "object") addInner(values, `${path}.<name>`, rows);
  else if (!isNameOfKind(schema)) addRows(schema, path, rows);
}

const isNameOfKind = ({ properties = {}, ...schema }: Schema): boolean =>
  schema["x-prevail-shorthand"] !== undefined &&
  Object.keys(properties).every((name) => ["group", "kind", "section"].includes(name));

function formatType(schema: Schema): string {
  const { type, items, additionalProperties: values, properties = {} } = schema;
  const shorthand = schema["x-prevail-shorthand"];
  if (isNameOfKind(schema)) return "section" in properties ? "level" : "kind";
  if (shorthand !== undefined) return `${shorthand}, or object`;
  if (items !== undefined) return `list of ${formatType(items)}`;
  if (typeof values === "object") return `map to ${formatType(values)}`;
  const words = schema["x-prevail-words"] ?? (schema.enum ?? []).filter((word) => typeof word === "string");
  if (words.length > 0) return words.map((word) => `\`${word}\``).join(", ");
  return schema["x-prevail-format"] ?? type ?? "any";
}

/** Policy attachment reference: implementations must document what each policy kind may attach to. */
export function renderAttachments(definitions: readonly PolicyDefinition[]): string {
  const rows = definitions.flatMap((definition) =>
    definition.policies.map(({ kind, group, scope }) =>
      row([
        `${kind} (${group})`,
        `${definition.class}, ${scope}`,
        [
          ...definition.targeting.kinds
            .filter(({ policies }) => policies.length === 0 || policies.includes(kind))
            .map((target) => formatTarget(target, scope)),
          ...(definition.targeting.namedBy ?? []).map(({ level }) => `${formatLevel(level)} (that names it)`),
        ].join(", "),
        definition.hierarchy.effectiveTargets.map(formatLevel).join(", "),
        definition.merge.none ? "None" : formatMerge(definition),
      ]),
    ),
  );
  return table(["policy kind", "class, scope", "may attach to", "takes effect on", "merge"], rows);
}

function formatTarget({ kind, sections, sectionRequired }: TargetKind, scope: string): string {
  const own = kind === "Namespace" && scope === "Namespaced" ? " (its own)" : "";
  const parts = sections.map((section) => `${kind} ${section.toLowerCase()}`);
  return [...(sectionRequired ? [] : [`${kind}${own}`]), ...parts].join(", ");
}

function formatMerge({ merge }: PolicyDefinition): string {
  const { default: byDefault } = merge.granularity;
  return `${typeof byDefault === "string" ? byDefault : byDefault.custom} defaults and overrides`;
}

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

const table = (heads: readonly string[], rows: readonly string[]): string =>
  [row(heads), row(heads.map(() => "---")), ...rows].join("\n");

/** Replaces the text between `<!-- NAME: … -->` and `<!-- /NAME -->`. The rest of the page is written by hand. */
export function replaceSection(page: string, name: string, text: string): string {
  const start = page.indexOf(`<!-- ${name}: `);
  const bodyStart = page.indexOf("-->", start) + "-->".length;
  const end = page.indexOf(`<!-- /${name} -->`);
  if (start === -1 || end < bodyStart) throw new Error(`the page has no section ${name}`);
  return `${page.slice(0, bodyStart)}\n\n${text}\n\n${page.slice(end)}`;
}
