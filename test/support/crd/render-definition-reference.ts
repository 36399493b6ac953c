import type { PolicyDefinition, TargetKind } from "../../../src/core/model/definition.ts";
import { displayLevel } from "../../../src/core/model/levels.ts";
import type { FieldShape, Shape } from "../../../src/core/model/schema/check-shape.ts";
import { definitionSchema } from "../../../src/core/model/schema/definition-schema.ts";

/** One row per field of a PolicyDefinition, nested ones below their parent. */
export function renderFields(): string {
  const rows: string[] = [];
  addRows(definitionSchema.fields, "spec", rows);
  return table(["field", "type", "default", "meaning"], rows);
}

function addRows(fields: Readonly<Record<string, FieldShape>>, parent: string, rows: string[]): void {
  for (const [name, field] of Object.entries(fields)) {
    const path = `${parent}.${name}`;
    rows.push(row([`\`${path}\``, describe(field.shape), field.default ?? "**required**", field.doc]));
    addInner(field.shape, path, rows);
  }
}

/** Kinds and levels appear in many places: they are described once, above the table. */
function addInner(shape: Shape, path: string, rows: string[]): void {
  switch (shape.type) {
    case "object":
      return addRows(shape.fields, path, rows);
    case "list":
      return addInner(shape.items, `${path}[]`, rows);
    case "map":
      return addInner(shape.values, `${path}.<name>`, rows);
    case "shorthand":
      if (!isNameOfKind(shape)) addRows(shape.object.fields, path, rows);
      return;
    case "text":
    case "boolean":
      return;
  }
}

const isNameOfKind = (shape: Shape & { type: "shorthand" }): boolean =>
  Object.keys(shape.object.fields).every((name) => ["group", "kind", "section"].includes(name));

function describe(shape: Shape): string {
  switch (shape.type) {
    case "text": {
      const words = (shape.values ?? []).map((value) => `\`${value}\``);
      if (words.length === 0) return shape.format ?? "string";
      return [...words, ...(shape.prefix === undefined ? [] : [`\`${shape.prefix}<name>\``])].join(", ");
    }
    case "boolean":
      return "boolean";
    case "list":
      return `list of ${describe(shape.items)}`;
    case "map":
      return `map to ${describe(shape.values)}`;
    case "object":
      return "object";
    case "shorthand":
      if (!isNameOfKind(shape)) return `${shape.format}, or object`;
      return "section" in shape.object.fields ? "level" : "kind";
  }
}

/** REF: implementations must document what each policy kind may attach to. */
export function renderAttachments(definitions: readonly PolicyDefinition[]): string {
  const rows = definitions.flatMap((definition) =>
    definition.policies.map(({ kind, group, scope }) =>
      row([
        `${kind} (${group})`,
        `${definition.class}, ${scope}`,
        definition.targeting.kinds
          .filter(({ policies }) => policies.length === 0 || policies.includes(kind))
          .map((target) => describeTarget(target, scope))
          .join(", "),
        definition.hierarchy.effectiveTargets.map(displayLevel).join(", "),
        definition.merge.none ? "None" : describeMerge(definition),
      ]),
    ),
  );
  return table(["policy kind", "class, scope", "may attach to", "acts on", "merge"], rows);
}

function describeTarget({ kind, sections }: TargetKind, scope: string): string {
  const own = kind === "Namespace" && scope === "Namespaced" ? " (its own)" : "";
  return `${kind}${own}${sections.map((section) => `, ${kind} ${section.toLowerCase()}`).join("")}`;
}

function describeMerge({ merge }: PolicyDefinition): string {
  const { default: byDefault } = merge.granularity;
  return `${typeof byDefault === "string" ? byDefault : byDefault.custom} defaults and overrides`;
}

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

const table = (heads: readonly string[], rows: readonly string[]): string =>
  [row(heads), row(heads.map(() => "---")), ...rows].join("\n");

/** Puts generated text between `<!-- NAME: … -->` and `<!-- /NAME -->`; the rest of the page is written by hand. */
export function replaceSection(page: string, name: string, text: string): string {
  const start = page.indexOf(`<!-- ${name}: `);
  const bodyStart = page.indexOf("-->", start) + "-->".length;
  const end = page.indexOf(`<!-- /${name} -->`);
  if (start === -1 || end < bodyStart) throw new Error(`the page has no section ${name}`);
  return `${page.slice(0, bodyStart)}\n\n${text}\n\n${page.slice(end)}`;
}
