import type { World } from "../../core/effective/world/world.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "../../core/model/json.ts";
import { attachableLevels } from "../../core/model/levels.ts";
import { type KindId, kindId, parseObjectId } from "../../core/model/refs.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import { printData } from "../print/data/print-data.ts";
import { printList } from "../print/data/print-list.ts";
import { formatFirst, formatTarget } from "../print/format/format-target.ts";
import type { Column, Table } from "../print/terminal/layout-table.ts";
import type { FoundTarget } from "../target/find-targets.ts";
import { resourceName } from "../target/resource-name.ts";
import type { GetContext } from "./get-context.ts";
import { type NameColumns, printNamed } from "./name-columns.ts";
import { getPolicies } from "./policies.ts";
import { policyWords, type TargetRow, targetRows } from "./targets.ts";

/**
 * `get httproutes`, `get gtw/prod`: objects of any kind, as kubectl lists them, with their policies. Returns their number. Undefined: they cannot be sorted
 * as asked for.
 */
export function getObjects(get: GetContext): number | undefined {
  const { context, world, redaction } = get;
  const { print, output } = context;
  const isPolicy = ({ ref }: FoundTarget): boolean => world.rulebook.byPolicyKind.has(kindId(ref));
  const named = (get.targets ?? []).filter((target) => !(isPolicy(target) && redaction.isHidden(target.id)));
  const targets = get.sort(named, jsonOf);
  if (targets === undefined) return undefined;
  if (output === "json" || output === "yaml") printObjects(targets, output, get);
  else if (output === "name") for (const { ref } of targets) print.line(resourceName(ref));
  else printTables(targets, get);
  return targets.length;
}

/** One object that is named is printed alone, several as a List: both as kubectl does. */
function printObjects(targets: readonly FoundTarget[], output: "json" | "yaml", get: GetContext): void {
  const { context, caveats } = get;
  const [only] = targets;
  if (only !== undefined && isSingleObject(context, targets)) {
    printData(context.print, output, jsonOf(only));
    return;
  }
  printList(context.print, output, { apiVersion: "v1", kind: "List", items: targets.map(jsonOf), caveats });
}

/** True if the JSON of the objects has no field for caveats: it is that of one object. */
export const isSingleObject = ({ args }: GetContext["context"], targets: readonly FoundTarget[]): boolean =>
  targets.length === 1 && (args.length > 1 || args.some((word) => word.includes("/")));

/** The object as it is in the input. The contents of Secrets are left out: no answer depends on them. */
function jsonOf({ ref, object }: FoundTarget): JsonObject {
  if (object === undefined) {
    const { kind, namespace, name } = ref;
    return { kind, metadata: namespace === "" ? { name } : { name, namespace } };
  }
  if (ref.kind !== "Secret" || ref.group !== "") return object.raw;
  const shown: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(object.raw))
    if (key !== "data" && key !== "stringData") setOwn(shown, key, value);
  return shown;
}

/** A table for each kind. */
function printTables(targets: readonly FoundTarget[], get: GetContext): void {
  const { context, world } = get;
  const byKind = new Map<KindId, FoundTarget[]>();
  for (const target of targets) byKind.set(kindId(target.ref), [...(byKind.get(kindId(target.ref)) ?? []), target]);
  let isFirst = true;
  for (const [kind, own] of byKind) {
    if (!isFirst) context.print.line();
    isFirst = false;
    if (world.rulebook.byPolicyKind.has(kind)) getPolicies({ ...get, targets: own });
    else
      printNamed(
        context,
        { scope: get.scope, nameKind: get.redaction.kindName },
        (names) => objectTable(targetRows({ ...get, targets: own }), names, get),
        {
          hasKind: byKind.size > 1,
          hasNamespace: own.some(({ ref }) => ref.namespace !== ""),
        },
      );
  }
}

/** A column about links, which is shown if an object has such links. */
interface LinkColumn {
  readonly column: Column;
  readonly words: (target: FoundTarget) => readonly string[];
}

function objectTable(rows: readonly TargetRow[], names: NameColumns, get: GetContext): Table {
  const { context, source, redaction, world } = get;
  const wide = context.output === "wide";
  const some = { all: wide || context.print.isUnlimited };
  const links = linkColumns(world).filter(({ words }) => rows.some(({ target }) => words(target).length > 0));
  const hasSections = rows.some(({ sections }) => sections.length > 0);
  const isTarget = isTargetKind(world);
  const hasPolicies = rows.some(({ target, attached }) => attached.length > 0 || isTarget(kindId(target.ref)));
  return {
    columns: [
      ...names.columns,
      ...links.map(({ column }) => column),
      ...(hasSections ? [{ header: "SECTIONS", flexible: true, optional: 2 } as const] : []),
      ...(hasPolicies
        ? ([
            { header: "ATTACHED", flexible: true, least: 20, optional: 4 },
            { header: "AFFECTED BY", flexible: true, least: 20 },
          ] as const)
        : []),
      ...(wide ? [{ header: "FILE" }] : []),
    ],
    rows: rows.map((row) => {
      const { target } = row;
      const position = source.locate(target.id);
      const { attached, affecting } = policyWords(row, redaction);
      return [
        ...names.cells(target.ref),
        ...links.map(({ words }) => formatFirst(words(target), some)),
        ...(hasSections ? [formatFirst(row.sections, some)] : []),
        ...(hasPolicies ? [formatFirst(attached, some), formatFirst(affecting, some)] : []),
        ...(wide ? [position === undefined ? "-" : formatLine(position)] : []),
      ];
    }),
  };
}

function isTargetKind({ rulebook }: World): (kind: KindId) => boolean {
  const kinds = new Set(
    rulebook.kinds.flatMap(({ definition }) => attachableLevels(definition.targeting).map((level) => kindId(level))),
  );
  return (kind) => kinds.has(kind);
}

const linkColumns = (world: World): readonly LinkColumn[] => [
  {
    column: { header: "HOSTNAMES", flexible: true, optional: 3 },
    words: (target) => (world.rulebook.factsOf(kindId(target.ref))?.route?.hostnames ? hostnamesOf(target) : []),
  },
  {
    column: { header: "PARENTS", flexible: true, optional: 5 },
    words: ({ id, ref }) =>
      distinct((world.links.get(id)?.up ?? []).map(({ parent }) => shortTarget(parent, ref.namespace))),
  },
  {
    column: { header: "BACKENDS", flexible: true, optional: 1 },
    words: ({ id, ref }) =>
      distinct((world.childLinksOf(id)?.down ?? []).map(({ child }) => shortTarget(child, ref.namespace))),
  },
];

const distinct = (words: readonly string[]): readonly string[] => [...new Set(words)];

const shortTarget = (id: Parameters<typeof parseObjectId>[0], namespace: string): string =>
  formatTarget(parseObjectId(id), undefined, namespace);

/** A route without hostnames is for every host of its listeners. */
function hostnamesOf({ object }: FoundTarget): readonly string[] {
  const spec = object === undefined ? undefined : ownValue(object.raw, "spec");
  const hostnames = isJsonObject(spec) ? ownValue(spec, "hostnames") : undefined;
  const words = isJsonList(hostnames) ? hostnames.filter((name) => typeof name === "string") : [];
  return words.length === 0 ? ["*"] : words;
}
