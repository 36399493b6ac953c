import type { Caveat } from "../../core/caveats/caveat.ts";
import type { CurrentValue, ForbiddingPolicy, HowChange, HowStep, Rights } from "../../core/explain/how/result.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import { caveatsJson } from "../caveats/json.ts";
import { API_VERSION, openRef, refJson, sourceJson } from "../print/data/effective-json.ts";
import type { ShownAnswer, ShownHow } from "./redact-how.ts";

export interface HowJsonContext {
  readonly source: LoadedSource;
  readonly redaction: Redaction;
  readonly caveats: readonly Caveat[];
  readonly limit: number;
}

/** `how -o json`; `docs/schemas/how.json` describes it. */
export const howJson = ({ target, wanted, kinds }: ShownHow, context: HowJsonContext): object => ({
  apiVersion: API_VERSION,
  kind: "How",
  target,
  wanted: wanted.map(({ path, value }) => ({ path, value: value ?? null })),
  policyKinds: kinds.map((kind) => kindJson(kind, context)),
  caveats: caveatsJson(context.caveats),
});

const kindJson = (answer: ShownAnswer, { redaction, limit }: HowJsonContext): object => ({
  policyKind: answer.policyKind,
  state: answer.state,
  paths: answer.paths,
  incompletePaths: answer.incompletePaths,
  now: answer.now.map((value) => currentJson(value, redaction)),
  forbiddenBy: answer.forbiddenBy.map((one) => forbiddingJson(one, redaction)),
  changes: answer.changes.slice(0, limit).map(changeJson),
  notShown: Math.max(0, answer.changes.length - limit),
  hidden: answer.hidden,
  leftOut: answer.leftOut,
  refused: answer.refused,
});

function currentJson({ pointer, value, source, isWanted, paths }: CurrentValue, redaction: Redaction): object {
  const isHidden = redaction.hidesValue(source?.policy, pointer);
  return {
    pointer,
    ...(value === undefined || isHidden ? {} : { value }),
    ...(source === undefined ? {} : { source: sourceJson(source, redaction) }),
    isWanted,
    paths: paths.map(({ nodes, ...rest }) => ({ path: nodes, ...rest })),
  };
}

const forbiddingJson = ({ policy, block, pointer, ...rights }: ForbiddingPolicy, redaction: Redaction): object => ({
  policy: refJson(policy, redaction),
  block,
  pointer,
  ...(redaction.isHidden(policy) ? {} : rightsJson(rights)),
});

const rightsJson = ({ namespace, contacts }: Rights): object => ({
  namespace,
  contacts: contacts.map(({ contact, object }) => ({ contact, object: openRef(object) })),
});

const changeJson = ({ steps, objects, reach, needsRights, incompletePaths }: HowChange): object => ({
  steps: steps.map(stepJson),
  reach,
  needsRights: needsRights.map(rightsJson),
  incompletePaths,
  objects: objects.map(({ ref, change, manifest }) => ({ object: ref, change, manifest })),
});

const stepJson = ({ way, object, block, targets, summary }: HowStep): object => ({
  way,
  object: openRef(object),
  ...(block === undefined ? {} : { block }),
  targets,
  summary,
});
