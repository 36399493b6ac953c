import type { EffectivePolicy } from "../../core/effective/fold/effective-policy.ts";
import { effectivePolicyAt } from "../../core/effective/fold/effective-policy-at.ts";
import { forEachEffective } from "../../core/effective/fold/for-each-effective.ts";
import { nodesOf, type Path } from "../../core/effective/paths/path.ts";
import type { PathNode } from "../../core/effective/paths/path-node.ts";
import type { CompiledKind } from "../../core/effective/world/compiled-kind.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { EffectiveSpec } from "../../core/merge/effective-spec.ts";
import { kindId } from "../../core/model/refs.ts";
import { type Redaction, redactSpec } from "../args/redaction.ts";
import { effectiveJson } from "../print/data/effective-json.ts";
import { printList } from "../print/data/print-list.ts";
import { startsWithin } from "../print/format/format-paths.ts";
import { formatFirst, formatTarget } from "../print/format/format-target.ts";
import { formatValue } from "../print/format/format-value.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import type { Table } from "../print/terminal/layout-table.ts";
import { glued, styled } from "../print/terminal/styled-text.ts";
import { type FoundTarget, isListed, type Scope } from "../target/find-targets.ts";
import { resourceName } from "../target/resource-name.ts";
import { sortByOption } from "../template/sort-by.ts";
import type { GetContext } from "./get-context.ts";

/** Prints one effective policy for each path that has a policy, in a defined order, and returns their number. Undefined: they cannot be sorted as asked for. */
export function getEffective(get: GetContext): number | undefined {
  const { context, redaction } = get;
  const { print, output } = context;
  // Only sorting keeps all of them in memory.
  const all = context.options.has(sortByOption.name)
    ? get.sort([...effectiveOf(get)], (effective) => effectiveJson(effective, redaction))
    : effectiveOf(get);
  if (all === undefined) return undefined;
  let count = 0;
  const counted = function* (): Iterable<EffectivePolicy> {
    for (const effective of all) {
      count++;
      yield effective;
    }
  };
  if (output === "json" || output === "yaml") {
    const items = function* (): Iterable<object> {
      for (const effective of counted()) yield effectiveJson(effective, redaction);
    };
    printList(print, output, { kind: "EffectivePolicyList", items: items(), caveats: get.caveats });
  } else if (output === "name") {
    const names = new Set<string>();
    for (const { path } of counted()) names.add(resourceName(endOf(path)));
    for (const name of names) print.line(name);
  } else {
    printRows([...counted()], get);
  }
  return count;
}

function* effectiveOf({ world, targets, scope }: GetContext): Iterable<EffectivePolicy> {
  for (const kind of world.rulebook.kinds) {
    const found: EffectivePolicy[] = [];
    forEachEffective(world, kind, (path, core) => {
      if (isWanted(path, core, kind, world, targets, scope)) found.push(effectivePolicyAt(path, kind));
    });
    yield* found;
  }
}

/** Selects paths. Without targets: by namespace and labels of the last object. With targets: paths through a target, or on which a named policy has an outcome. */
function isWanted(
  path: Path,
  core: EffectiveSpec,
  kind: CompiledKind,
  world: World,
  targets: readonly FoundTarget[] | undefined,
  scope: Scope,
): boolean {
  if (targets === undefined) {
    const { ref, raw } = path.node;
    return isListed({ ref, raw: raw ?? {} }, scope);
  }
  const policyKinds = new Set(kind.definition.policies.map((policy) => kindId(policy)));
  return targets.some(({ id, ref, sectionName }) => {
    if (world.rulebook.byPolicyKind.has(kindId(ref)))
      return policyKinds.has(kindId(ref)) && core.outcomes.some(({ policy }) => policy.id === id);
    return nodesOf(path).some(
      ({ id: node, section }) => node === id && (sectionName === undefined || section?.name === sectionName),
    );
  });
}

function endOf(path: readonly PathNode[]): PathNode {
  const end = path.at(-1);
  if (end === undefined) throw new Error("a path has at least one node");
  return end;
}

/** The cells of one path. */
interface Row {
  readonly kind: string;
  readonly target: string;
  readonly through: string;
  readonly policies: readonly string[];
  readonly spec: string;
}

/** Prints a table, or blocks where it is too narrow for one: a spec that is cut says nothing. */
function printRows(all: readonly EffectivePolicy[], { context, redaction }: GetContext): void {
  if (all.length === 0) return;
  const { print, output } = context;
  const whole = output === "wide";
  const rows = all.map((effective) => rowOf(effective, redaction, { all: whole }));
  const list = { all: whole || print.isUnlimited };
  const table: Table = {
    columns: [
      { header: "KIND" },
      { header: "TARGET" },
      { header: "THROUGH", flexible: true, least: LEAST_COLUMN },
      { header: "POLICIES", flexible: true, least: LEAST_COLUMN },
      { header: "SPEC", flexible: true, least: LEAST_SPEC },
    ],
    rows: rows.map(({ kind, target, through, policies, spec }) => [
      kind,
      target,
      through,
      formatFirst(policies, list),
      spec,
    ]),
  };
  if (whole || print.fits(table)) print.table(table, { whole });
  else printBlocks(rows, print);
}

const LEAST_COLUMN = 24;
const LEAST_SPEC = 40;

function rowOf(
  { policyKind, path, from, incomplete, spec, sources, fields = [], removals = [] }: EffectivePolicy,
  redaction: Redaction,
  through: { readonly all: boolean },
): Row {
  const end = endOf(path);
  const allSources = [...sources, ...fields.flatMap((field) => field.sources)];
  const policies = [
    ...allSources.flatMap(({ policy }) => (policy === null ? [] : [policy])),
    ...removals.flatMap(({ policy, state }) => (state === "inEffect" ? [policy] : [])),
  ];
  const isCut = startsWithin({ nodes: path, ...(incomplete ? { incomplete } : {}) });
  const specs = [
    ...(sources.length > 0 || fields.length === 0 ? [formatValue(redactSpec(spec, sources, redaction))] : []),
    ...fields.map((field) => `${field.pointer} ${formatValue(redactSpec(field.spec, field.sources, redaction))}`),
  ];
  return {
    kind: redaction.kindName(policyKind),
    target: formatTarget(end, end.sectionName, ""),
    through: `${isCut ? "… > " : ""}${throughWords(path, through)}${from === undefined ? "" : ` from ${from}`}`,
    policies: [...new Set(policies)].sort().map((policy) => redaction.name(policy).replace(/^\S+ /, "")),
    spec: specs.join("; "),
  };
}

/** Prints a block for each target and effective policy. Paths with the same outcome that follow each other share a block. */
function printBlocks(rows: readonly Row[], print: Printer): void {
  let last: string | undefined;
  const groups: { readonly row: Row; readonly through: string[] }[] = [];
  for (const row of rows) {
    const key = JSON.stringify([row.kind, row.target, row.policies, row.spec]);
    if (key === last) groups.at(-1)?.through.push(row.through);
    else groups.push({ row, through: [row.through] });
    last = key;
  }
  groups.forEach(({ row, through }, index) => {
    if (index > 0) print.line();
    print.paragraph({ hanging: 2 }, styled(row.kind, "bold"), " on ", styled(row.target, "bold"));
    const field = (name: string, text: string): void =>
      print.paragraph({ indent: 2, hanging: FIELD }, styled(glued(name.padEnd(FIELD)), "dim"), text);
    through.forEach((one, at) => field(at === 0 ? "through" : "", one));
    field("policies", row.policies.length === 0 ? "-" : row.policies.join(", "));
    field("spec", row.spec);
  });
}

/** The width of the names of fields in a block. */
const FIELD = 10;

/** The listener and the route, which distinguish most paths. With `all`: every node above the last. */
function throughWords(path: readonly PathNode[], { all }: { readonly all: boolean }): string {
  const above = path.slice(0, -1);
  const last = path.at(-1);
  const shown = all
    ? above
    : above.filter(({ kind, sectionName, name, namespace }, index) => {
        if (kind === "GatewayClass" || kind === "Namespace") return false;
        // An object is omitted if its section is the next node or the last node.
        const next = path[index + 1];
        if (sectionName === undefined && next?.sectionName !== undefined && next.name === name && next.kind === kind)
          return false;
        return !(last?.kind === kind && last.name === name && last.namespace === namespace);
      });
  return shown.length === 0 ? "-" : shown.map((node) => formatTarget(node, node.sectionName, "")).join(" > ");
}
