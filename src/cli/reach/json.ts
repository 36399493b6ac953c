import type { Reach, ReachedPath, ReachedValue, ReachLoss, ReachTarget } from "../../core/explain/reach/result.ts";
import { blockPointer } from "../../core/explain/value-pointer.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import { caveatsJson } from "../caveats/json.ts";
import { API_VERSION, openRef, refJson } from "../print/data/effective-json.ts";
import { verdictJson } from "../print/data/verdict-json.ts";
import { positionOf } from "../print/format/format-source.ts";
import type { TextContext } from "../print/text-context.ts";

/** The index of a path in the list of all paths. */
type PathIndexes = ReadonlyMap<ReachedPath, number>;

/** `reach -o json`; `docs/schemas/reach.json` describes it. */
export function reachJson(
  reach: Reach,
  rule: string | undefined,
  { source, redaction, caveats }: Pick<TextContext, "source" | "redaction" | "caveats">,
): object {
  const { policy, policyKind, verdict, targets, values, removals, paths, reachedNodes, absentParents, unenforced } =
    reach;
  const at = source.locate(policy);
  const isUndecided =
    verdict.state === "Unknown" || (verdict.state === "Accepted" && verdict.enforcement === "Incomplete");
  const indexes: PathIndexes = new Map(paths.map((path, index) => [path, index]));
  const count = (effect: Reach["paths"][number]["effect"]): number =>
    paths.filter((path) => path.effect === effect).length;
  return {
    apiVersion: API_VERSION,
    kind: "Reach",
    policy: openRef(policy),
    policyKind,
    ...(at === undefined ? {} : { at }),
    ...(rule === undefined ? {} : { rule }),
    verdict: verdictJson(verdict, redaction),
    complete: !isUndecided && paths.every((path) => path.incomplete !== true),
    absentParents,
    unenforced: unenforced.map(({ gateway, controller }) => ({ gateway: openRef(gateway), controller })),
    counts: {
      paths: paths.length,
      full: count("full"),
      partial: count("partial"),
      none: count("none"),
      met: count("met"),
      idle: count("idle"),
    },
    targets: targets.map((target) => targetJson(target, redaction)),
    values: values.map((value) => valueJson(value, reach, indexes, source, redaction)),
    removals: removals.map(({ by, ...removal }) => ({
      ...removal,
      by: by.map((winner) => refJson(winner, redaction)),
    })),
    reachedNodes: reachedNodes.map(({ node, isBelow, paths: total, inEffect }) => ({
      target: node,
      role: isBelow ? "Reached" : "Above",
      paths: total,
      inEffect,
    })),
    paths: paths.map(({ nodes, ...rest }) => ({ path: nodes, ...rest })),
    caveats: caveatsJson(caveats),
  };
}

function targetJson(target: ReachTarget, redaction: Redaction): object {
  switch (target.state) {
    case "attached":
      return {
        state: "Attached",
        target: target.node,
        ...(target.consumer === undefined ? {} : { from: target.consumer }),
        paths: target.paths,
        ...(target.gaps.length === 0
          ? {}
          : { gaps: target.gaps.map(({ object, ...rest }) => ({ object: openRef(object), ...rest })) }),
      };
    case "conflicted":
      return { state: "Conflicted", target: target.node, by: refJson(target.by, redaction) };
    case "refused":
      return { state: "Refused", field: target.field, code: target.code, message: target.message };
  }
}

function valueJson(
  value: ReachedValue,
  reach: Reach,
  indexes: PathIndexes,
  source: LoadedSource,
  redaction: Redaction,
): object {
  const { pointer, block, inEffect, equal, overridden, gated, when, losses } = value;
  const location = blockPointer(source.world, reach.policy, block, pointer);
  const at = source.locate(location.object, location.pointer);
  return {
    pointer,
    block,
    ...(redaction.hidesValue(reach.policy, pointer) ? {} : { value: value.value }),
    ...(at === undefined ? {} : { at }),
    ...(when === undefined ? {} : { when }),
    inEffect,
    equal,
    overridden,
    gated,
    losses: losses.map((loss) => lossJson(loss, reach, indexes, source, redaction)),
  };
}

function lossJson(
  loss: ReachLoss,
  reach: Reach,
  indexes: PathIndexes,
  source: LoadedSource,
  redaction: Redaction,
): object {
  const { reason, by, object, source: value, effectiveValue, paths, field } = loss;
  const isHidden = value.policy !== null && redaction.isHidden(value.policy);
  const at = isHidden
    ? undefined
    : positionOf({ policyKind: reach.policyKind, value, path: paths[0]?.nodes ?? [], field }, source);
  return {
    reason,
    by: by.map((winner) => refJson(winner, redaction)),
    ...(object === undefined ? {} : { object: openRef(object) }),
    source: {
      policy: value.policy === null ? null : refJson(value.policy, redaction),
      ...(value.object === undefined ? {} : { object: openRef(value.object) }),
      block: value.block,
      ...(effectiveValue === undefined || redaction.hidesValue(value.policy, value.pointer)
        ? {}
        : { value: effectiveValue }),
      ...(at === undefined ? {} : { at }),
    },
    paths: paths.map((path) => indexes.get(path)),
  };
}
