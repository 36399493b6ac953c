import { type DefinitionSketch, isNested, type Remark, type SketchField } from "../../core/model/define/sketch.ts";
import { isJsonList, isJsonObject, type Json } from "../../core/model/json.ts";
import { printable } from "../../core/model/words/printable.ts";
import { API_VERSION } from "../print/data/effective-json.ts";
import { formatValue } from "../print/format/format-value.ts";

const WIDTH = 110;

/** A sketch as YAML. Each remark is a comment above its field; one about a guess begins with `guess:`. */
export function sketchYaml({ name, kind, remarks, spec }: DefinitionSketch): string {
  return [
    ...comment(`PolicyDefinition of ${kind}, written by 'prevail define' from its CRD.`, 0),
    ...comment("Comments that begin with 'guess' mark what the CRD does not say: check them, and delete them.", 0),
    ...remarks.flatMap((remark) => remarkLines(remark, 0)),
    `apiVersion: ${API_VERSION}`,
    "kind: PolicyDefinition",
    "metadata:",
    `  name: ${formatValue(name)}`,
    "spec:",
    ...spec.flatMap((field) => fieldLines(field, 2)),
    "",
  ].join("\n");
}

function fieldLines({ key, value, remarks, isOff }: SketchField, indent: number): readonly string[] {
  const about = remarks.flatMap((remark) => remarkLines(remark, indent));
  const lines = valueLines(key, value, indent);
  return [...about, ...(isOff === true ? lines.map((line) => `${" ".repeat(indent)}# ${line.trimStart()}`) : lines)];
}

function valueLines(key: string, value: SketchField["value"], indent: number): readonly string[] {
  const start = `${" ".repeat(indent)}${key}:`;
  if (isNested(value)) return [start, ...value.flatMap((field) => fieldLines(field, indent + 2))];
  const json: Json = value;
  const line = `${start} ${formatValue(json)}`;
  if (isJsonList(json) && (json.some(isJsonObject) || line.length > WIDTH))
    return [start, ...json.map((item) => `${" ".repeat(indent)}- ${formatValue(item)}`)];
  return [line];
}

const remarkLines = ({ by, text }: Remark, indent: number): readonly string[] =>
  comment(by === "Guess" ? `guess: ${text}` : text, indent);

/** A comment of as many lines as it needs. Words of the CRD cannot end it. */
function comment(text: string, indent: number): readonly string[] {
  const start = `${" ".repeat(indent)}#`;
  const lines: string[] = [];
  let line = start;
  for (const word of printable(text).split(" ")) {
    if (line !== start && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = `${start}  `;
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
