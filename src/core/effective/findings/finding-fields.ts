/** The fields that findings are about, from which the position in a file is found. */
import type { Attachment } from "../../attachment/resolved-targets.ts";
import type { KindFacts } from "../../model/definition.ts";
import { isJsonObject, type Json, ownValue } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { BlockName, Policy, Unit } from "../../model/policy.ts";
import { parseObjectId } from "../../model/refs.ts";
import type { Section } from "../../topology/sections-of.ts";

/** The field of each target reference; undefined for a target that a label selector matches. */
export function targetFields(policy: Policy | undefined): (attachment: Attachment) => string | undefined {
  let fields: Map<string, string> | undefined;
  const key = (kind: string, name: string | undefined, section: string | undefined): string =>
    `${kind.toLowerCase()}/${name ?? ""}#${section ?? ""}`;
  return ({ object, sectionName }) => {
    fields ??= new Map(policy?.targets.map(({ kind, name, sectionName: own, field }) => [key(kind, name, own), field]));
    const { kind, name } = parseObjectId(object);
    return fields.get(key(kind, name, sectionName));
  };
}

/** The field of the second section with a name. */
export function repeatedNameFields(
  sections: readonly Section[],
  facts: KindFacts,
): (name: string) => string | undefined {
  const first = new Set<Json | undefined>();
  const second = new Map<Json | undefined, Section>();
  for (const section of sections) {
    const name = section.raw["name"];
    if (first.has(name) && !second.has(name)) second.set(name, section);
    first.add(name);
  }
  return (name) => {
    const repeated = second.get(name);
    const list = facts.sections.find(({ section }) => section === repeated?.section);
    return repeated === undefined || list === undefined ? undefined : `${list.path}[${repeated.index}].name`;
  };
}

const spellings: Readonly<Record<BlockName, readonly string[]>> = {
  defaults: ["defaults", "default"],
  bare: [],
  overrides: ["overrides", "override"],
};

/** `errors` of a tally begin with the name of the block. */
export function conditionField({ raw }: KubeObject, error: string): string {
  const spec = ownValue(raw, "spec");
  const block = Object.entries(spellings).find(([name]) => error.startsWith(`${name}:`));
  const key = isJsonObject(spec) ? block?.[1].find((spelling) => isJsonObject(ownValue(spec, spelling))) : undefined;
  return key === undefined ? "spec" : `spec.${key}.when`;
}

/** The field of a value of a spec; a key with a dot or bracket is written in brackets. */
export const settingField = (path: readonly string[]): string =>
  `spec${path.map((key) => (/[.[\]]/.test(key) ? `[${key}]` : `.${key}`)).join("")}`;

/** Rules outside the blocks that the policy's own defaults replace, because defaults are merged first. */
export function bareLosers({ blocks }: Policy): readonly Unit[] {
  const defaults = blocks.find(({ name }) => name === "defaults")?.units ?? [];
  const bare = blocks.find(({ name }) => name === "bare");
  if (bare === undefined || defaults.length === 0) return [];
  switch (bare.granularity) {
    case "Merge": {
      const rules = new Set(defaults.map(({ rule }) => rule));
      return bare.units.filter(({ rule }) => rules.has(rule));
    }
    case "Field":
    case "Patch": {
      const held = new Set(defaults.map(({ pointer }) => pointer));
      const above = new Set(defaults.flatMap(({ pointer }) => ancestors(pointer)));
      return bare.units.filter(
        ({ pointer }) => held.has(pointer) || above.has(pointer) || ancestors(pointer).some((one) => held.has(one)),
      );
    }
    case "Atomic":
      return bare.units;
    default:
      // A custom strategy may replace any rule.
      return bare.units;
  }
}

/** `/a/b/c`: `/a/b` and `/a`. */
function ancestors(pointer: string): readonly string[] {
  const found: string[] = [];
  for (let end = pointer.lastIndexOf("/"); end > 0; end = pointer.lastIndexOf("/", end - 1))
    found.push(pointer.slice(0, end));
  return found;
}
