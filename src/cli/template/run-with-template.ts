import { isJsonList, isJsonObject, type Json, textAt } from "../../core/model/json.ts";
import type { Command, CommandContext } from "../command.ts";
import type { ExitCode } from "../exit-codes.ts";
import { createPrinter } from "../print/terminal/create-printer.ts";
import { styled } from "../print/terminal/styled-text.ts";
import { type CustomColumn, cellsOf, parseCustomColumns, parseCustomColumnsFile } from "./custom-columns.ts";
import { type FormatResults, fillTemplate, formatResults } from "./evaluate-template.ts";
import { type Parsed, refuse, type Template } from "./json-path.ts";
import { parseJson } from "./parse-json.ts";
import { parseTemplate } from "./parse-template.ts";

type TemplateOutput =
  | { readonly type: "template"; readonly template: Template; readonly format: FormatResults }
  | { readonly type: "columns"; readonly columns: readonly CustomColumn[] };

/** Runs a command whose `-o` is a template: with `-o json`, whose output fills the template. Undefined: `-o` is something else. */
export async function runWithTemplate(command: Command, context: CommandContext): Promise<ExitCode | undefined> {
  const [, name, text] =
    /^(jsonpath(?:-as-json|-file)?|custom-columns(?:-file)?)=(.*)$/s.exec(context.output ?? "") ?? [];
  if (name === undefined || text === undefined) return undefined;
  const output = await loadOutput(name, text, context);
  if (!output.ok) return context.fail(`-o ${name}: ${output.message}`);
  const written: string[] = [];
  const print = { ...context.print, raw: (more: string) => void written.push(more) };
  const code = await command.run({ ...context, output: "json", print });
  if (written.length === 0) return code;
  const data = parseJson(written.join(""));
  const filled = fill(output.value, data, context);
  if (!filled.ok) return context.fail(`-o ${name}: ${filled.message}`);
  context.print.raw(filled.value);
  if (filled.value.trim() === "") noteEmpty(name, data, context);
  printCaveatsOf(data, context);
  return code;
}

async function loadOutput(name: string, text: string, { io }: CommandContext): Promise<Parsed<TemplateOutput>> {
  if (!name.endsWith("-file")) return parseOutput(name, text);
  try {
    const content = new TextDecoder().decode(await io.fileSystem.readFile(text));
    return parseOutput(name, content);
  } catch (error) {
    return refuse(`${text} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseOutput(name: string, text: string): Parsed<TemplateOutput> {
  if (name.startsWith("custom-columns")) {
    const columns = name.endsWith("-file") ? parseCustomColumnsFile(text) : parseCustomColumns(text);
    return columns.ok ? { ok: true, value: { type: "columns", columns: columns.value } } : columns;
  }
  if (text.trim() === "") return refuse("the template is empty; write one, such as {.items[*].metadata.name}");
  // A path without braces would be printed as it is.
  const template = parseTemplate(/^[.$@[][^{}]*$/.test(text) ? `{${text}}` : text);
  if (!template.ok) return template;
  const format = name === "jsonpath-as-json" ? formatJson : formatResults;
  return { ok: true, value: { type: "template", template: template.value, format } };
}

const formatJson: FormatResults = (values) => `${JSON.stringify(values, undefined, 4)}\n`;

function fill(output: TemplateOutput, data: Json, { options }: CommandContext): Parsed<string> {
  switch (output.type) {
    case "template": {
      const filled = fillTemplate(output.template, data, output.format);
      return filled.ok ? { ok: true, value: filled.text } : filled;
    }
    case "columns": {
      const rows: (readonly string[])[] = [];
      for (const item of itemsOf(data)) {
        const cells = cellsOf(output.columns, item);
        if (!cells.ok) return cells;
        rows.push(cells.value);
      }
      let text = "";
      const write = (more: string): void => {
        text += more;
      };
      const headers = !options.has("no-headers");
      createPrinter({ write, columns: undefined, colour: false, headers }).table({ columns: output.columns, rows });
      return { ok: true, value: text };
    }
  }
}

/** The items of a list, or the object itself. */
function itemsOf(data: Json): readonly Json[] {
  const items = isJsonObject(data) ? data["items"] : undefined;
  return isJsonList(items) ? items : [data];
}

/** Empty output looks like an empty answer. */
function noteEmpty(name: string, data: Json, { note }: CommandContext): void {
  const [first] = itemsOf(data);
  if (!isJsonObject(first)) return;
  const what = first === data ? "the output has" : "each item has";
  note(`-o ${name}: the template selects no value; ${what} the fields ${Object.keys(first).join(", ")}`);
}

/** A template leaves out the caveats of the answer, so they are printed to standard error. */
function printCaveatsOf(data: Json, { errorPrint }: CommandContext): void {
  const caveats = isJsonObject(data) ? data["caveats"] : undefined;
  if (!isJsonList(caveats)) return;
  for (const caveat of caveats) {
    if (!isJsonObject(caveat)) continue;
    const [severity, message, fix] = ["severity", "message", "fix"].map((key) => textAt(caveat, key));
    errorPrint.paragraph({ hanging: 2 }, styled(`caveat, ${severity}:`, "yellow"), ` ${message}.`);
    errorPrint.paragraph({ indent: 2, hanging: 2 }, styled("fix: ", "green"), fix ?? "");
  }
}
