import type { LevelKind, PolicyDefinition } from "../../core/model/definition.ts";
import { attachableLevels } from "../../core/model/levels.ts";
import { definitionObject } from "../../core/model/parse/definition/definition-object.ts";
import { kindId, objectId } from "../../core/model/refs.ts";
import { supportedGranularities } from "../../core/model/units.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import { printList } from "../print/data/print-list.ts";
import { formatFirst } from "../print/format/format-target.ts";
import type { Table } from "../print/terminal/layout-table.ts";
import { resourceName } from "../target/resource-name.ts";
import type { GetContext } from "./get-context.ts";

/** Prints the definitions and returns their number. Undefined: they cannot be sorted as asked for. */
export function getDefinitions(get: GetContext): number | undefined {
  const { context } = get;
  const { print, output } = context;
  const toObject = (definition: PolicyDefinition): object =>
    definitionObject(definition, { "prevail.dev/origin": originOf(definition, get) });
  const definitions = get.sort(definitionsOf(get), toObject);
  if (definitions === undefined) return undefined;
  if (output === "json" || output === "yaml") {
    printList(print, output, {
      kind: "PolicyDefinitionList",
      items: definitions.map(toObject),
      caveats: get.caveats,
    });
    noteNotWritten(definitions, context.note);
    return definitions.length;
  }
  if (output === "name") {
    for (const { name } of definitions) print.line(resourceName(refOf(name)));
    return definitions.length;
  }
  if (definitions.length === 0) return 0;
  const wide = output === "wide";
  const list = { all: wide || print.isUnlimited };
  const table: Table = {
    columns: [
      { header: "KIND" },
      { header: "GROUP", optional: 1 },
      { header: "CLASS", optional: 4 },
      { header: "TARGETS", flexible: true },
      { header: "ENDS AT", flexible: true, optional: 2 },
      { header: "MERGE", optional: 5 },
      { header: "ORIGIN", flexible: true, optional: 3 },
    ],
    rows: definitions.map((definition) => {
      const { policies, targeting, hierarchy } = definition;
      const levels = attachableLevels(targeting);
      const targets = [...new Set(levels.map((level) => (wide ? levelName(level) : level.kind)))];
      return [
        policies.map(({ kind }) => kind).join(", "),
        policies[0].group,
        definition.class,
        formatFirst(targets, list),
        formatFirst(hierarchy.effectiveTargets.map(levelName), list),
        mergeWords(definition),
        originOf(definition, get),
      ];
    }),
  };
  print.table(table, { whole: wide });
  return definitions.length;
}

const levelName = ({ kind, section }: LevelKind): string => `${kind}${section ?? ""}`;

const refOf = (name: string) => ({ group: "prevail.dev", kind: "PolicyDefinition", namespace: "", name });

/** The definitions of the kinds or policies that the words name. */
function definitionsOf({ world, targets }: GetContext): readonly PolicyDefinition[] {
  const all = world.rulebook.kinds.map(({ definition }) => definition);
  if (targets === undefined) return all;
  return all.filter(({ name, policies }) =>
    targets.some(
      ({ ref }) =>
        (ref.kind === "PolicyDefinition" && ref.name === name) ||
        policies.some((policy) => kindId(policy) === kindId(ref)),
    ),
  );
}

function mergeWords({ merge }: PolicyDefinition): string {
  if (merge.none) return "None";
  const names = supportedGranularities(merge).map((one) => (typeof one === "string" ? one : one.custom));
  return [...new Set(names)].join(", ");
}

/** The origin of a definition: its position, the cluster, its CRD if it is inferred, or built in. */
function originOf({ name, inferred }: PolicyDefinition, { source }: GetContext): string {
  const id = objectId(refOf(name));
  const position = source.locate(id);
  if (inferred) return "inferred from its CRD";
  if (position !== undefined) return formatLine(position);
  return source.world.objects.has(id) ? "in the cluster" : "built in";
}

/** An inferred definition may have one rule that a PolicyDefinition has no field for. */
function noteNotWritten(definitions: readonly PolicyDefinition[], note: (message: string) => void): void {
  for (const { name, merge } of definitions)
    if (merge.granularity.ofReferenceBlocks !== undefined)
      note(
        `${name} is inferred: that its blocks 'default' and 'override' are merged field by field is not in its object`,
      );
}
