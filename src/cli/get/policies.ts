import { formatRejection } from "../../core/effective/verdicts/format-rejection.ts";
import type { Tally, Verdict } from "../../core/effective/verdicts/verdict.ts";
import { verdictOf } from "../../core/effective/verdicts/verdict-of.ts";
import type { PolicyRecord, World } from "../../core/effective/world/world.ts";
import { forEachPathThrough } from "../../core/explain/paths-through.ts";
import { isJsonObject, ownValue } from "../../core/model/json.ts";
import { compareText, kindId, type PolicyId, parseObjectId } from "../../core/model/refs.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import { policyStatuses } from "../../core/status/status-report-of.ts";
import { openRef, openTarget, type RefJson, refJson } from "../print/data/effective-json.ts";
import { printList } from "../print/data/print-list.ts";
import { formatFirst, formatTarget } from "../print/format/format-target.ts";
import { formatExtent, formatVerdict } from "../print/format/format-verdict.ts";
import { redactConditions } from "../print/redact/redact-conditions.ts";
import type { Column, Table } from "../print/terminal/layout-table.ts";
import type { Piece } from "../print/terminal/styled-text.ts";
import { policyStatusJson } from "../status/json.ts";
import { type FoundTarget, isListed } from "../target/find-targets.ts";
import { resourceName } from "../target/resource-name.ts";
import type { GetContext } from "./get-context.ts";
import { type NameColumns, printNamed } from "./name-columns.ts";

interface Row {
  readonly id: PolicyId;
  readonly record: PolicyRecord;
  readonly verdict: Verdict;
}

/** Prints the policies and returns their number. Undefined: they cannot be sorted as asked for. */
export function getPolicies(get: GetContext): number | undefined {
  const { context, world, redaction } = get;
  const { print, output, note } = context;
  const seen = selected(get).filter((id) => !redaction.isHidden(id));
  const found = seen.flatMap((id): Row[] => {
    const record = world.policies.get(id);
    return record === undefined ? [] : [{ id, record, verdict: verdictOf(world, record) }];
  });
  const rows = get.sort(found, (row) => policyJson(row, get));
  if (rows === undefined) return undefined;
  if (output === "json" || output === "yaml") {
    printList(print, output, { kind: "PolicyList", items: policyItems(rows, get), caveats: get.caveats });
  } else if (output === "name") {
    for (const { record } of rows) print.line(resourceName(record.object.ref));
  } else if (rows.length > 0) {
    printNamed(context, { scope: get.scope, nameKind: get.redaction.kindName }, (names) =>
      policyTable(rows, names, get),
    );
  }
  const hidden = selected(get).length - seen.length;
  if (hidden > 0) note(`${hidden} policies outside the namespace are hidden`);
  return rows.length;
}

function selected({ world, scope, targets }: GetContext): readonly PolicyId[] {
  const ids: PolicyId[] = [];
  if (targets === undefined) {
    world.policies.forEach(({ object }, id) => {
      if (isListed(object, scope)) ids.push(id);
    });
  } else {
    for (const target of targets) ids.push(...policiesOf(world, target));
  }
  return [...new Set(ids)].sort(compareText);
}

/** For a policy: the policy itself. For another target: the policies that are attached to it or have an outcome on a path through it. */
function policiesOf(world: World, target: FoundTarget): readonly PolicyId[] {
  if (world.rulebook.byPolicyKind.has(kindId(target.ref))) {
    const own: PolicyId[] = [];
    world.policies.forEach((_, id) => {
      if (id === target.id) own.push(id);
    });
    return own;
  }
  const ids: PolicyId[] = [];
  world.policies.forEach(({ targets }, id) => {
    const isAttached = targets.attachments.some(
      ({ object, sectionName }) =>
        object === target.id && (target.sectionName === undefined || target.sectionName === sectionName),
    );
    if (isAttached) ids.push(id);
  });
  for (const kind of world.rulebook.kinds) {
    forEachPathThrough(world, kind, target, (_path, core) => {
      for (const { policy } of core.outcomes) ids.push(policy.id);
    });
  }
  return ids;
}

function policyTable(rows: readonly Row[], names: NameColumns, { context, source, redaction }: GetContext): Table {
  const wide = context.output === "wide";
  const columns: readonly Column[] = [
    ...names.columns,
    { header: "TARGETS", flexible: true },
    { header: "VERDICT", optional: 2 },
    { header: "IN EFFECT", flexible: true, optional: 1 },
    ...(wide ? ["OVERRIDDEN BY", "CREATED", "FILE", "MESSAGE"].map((header) => ({ header })) : []),
  ];
  const list = { all: wide || context.print.isUnlimited };
  return {
    columns,
    rows: rows.map(({ id, record, verdict }): readonly Piece[] => {
      const position = source.locate(id);
      return [
        ...names.cells(record.object.ref),
        formatFirst(targetWords(record), list),
        formatVerdict(verdict, record.kind.definition),
        formatExtent(verdict),
        ...(wide
          ? [
              formatFirst(winnersOf(verdict).map(redaction.name), { all: true }),
              createdAt(record),
              position === undefined ? "-" : formatLine(position),
              verdict.state === "Accepted" ? "-" : verdict.message,
            ]
          : []),
      ];
    }),
  };
}

/** The targets that the policy is attached to. A policy that is attached to nothing shows its target references. */
function targetWords({ object, policy, targets }: PolicyRecord): readonly string[] {
  const { namespace } = object.ref;
  if (targets.attachments.length > 0)
    return targets.attachments.map(({ object: target, sectionName }) =>
      formatTarget(parseObjectId(target), sectionName, namespace),
    );
  return (policy?.targets ?? []).map(({ kind, name, sectionName, namespace: own }) =>
    name === undefined
      ? `${kind} by label`
      : formatTarget({ group: "", kind, namespace: own ?? namespace, name }, sectionName, namespace),
  );
}

const winnersOf = (verdict: Verdict): readonly PolicyId[] =>
  verdict.state === "Accepted" ? verdict.total.overriddenBy.map(({ policy }) => policy) : verdict.by;

function createdAt({ object }: PolicyRecord): string {
  const metadata = ownValue(object.raw, "metadata");
  const time = isJsonObject(metadata) ? ownValue(metadata, "creationTimestamp") : undefined;
  return typeof time === "string" ? time : "-";
}

function policyItems(rows: readonly Row[], get: GetContext): readonly object[] {
  const { world, redaction, controllerName } = get;
  const ids = rows.map(({ id }) => id);
  const statuses = new Map(policyStatuses(world, ids, { controllerName }).policies.map((own) => [own.policy, own]));
  const shown = redactConditions(world, redaction);
  return rows.map((row) => {
    const status = statuses.get(row.id);
    return {
      ...policyJson(row, get),
      ...(status === undefined ? {} : { status: policyStatusJson(status, shown) }),
    };
  });
}

function policyJson({ id, record, verdict }: Row, { world, source, redaction }: GetContext): object {
  const { targets, kind } = record;
  const at = source.locate(id);
  return {
    policy: refJson(id, redaction),
    policyKind: kind.policyKind,
    ...(at === undefined ? {} : { at }),
    targets: targets.attachments.map(({ object: target, sectionName }) => {
      const { group, kind, namespace, name } = parseObjectId(target);
      return { group, kind, namespace, name, ...(sectionName === undefined ? {} : { sectionName }) };
    }),
    rejections: targets.rejections.map((rejection) => ({
      field: rejection.field,
      code: rejection.code,
      message: formatRejection(world, rejection),
    })),
    verdict: verdictJson(verdict, getName(redaction)),
  };
}

type NameOf = (id: PolicyId) => RefJson;
const getName =
  (redaction: GetContext["redaction"]): NameOf =>
  (id) =>
    refJson(id, redaction);

function verdictJson(verdict: Verdict, name: NameOf): object {
  if (verdict.state !== "Accepted") {
    const { state, reason, message, by } = verdict;
    return { state, reason, message, by: by.map(name) };
  }
  const { state, enforcement, total, ancestors } = verdict;
  return {
    state,
    enforcement,
    ...tallyJson(total, name),
    ancestors: ancestors.map((one) => ({
      ancestor: openRef(one.ancestor),
      enforcement: one.enforcement,
      ...tallyJson(one.tally, name),
    })),
  };
}

const tallyJson = ({ overriddenBy, overriddenAt, ...counts }: Tally, name: NameOf): object => ({
  ...counts,
  overriddenBy: overriddenBy.map(({ policy, paths }) => ({ policy: name(policy), paths })),
  overriddenAt: overriddenAt.map(({ target, paths }) => ({ target: openTarget(target), paths })),
});
