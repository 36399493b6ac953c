/** The columns of the tables that kubectl prints. Kubernetes, API Concepts, "Receiving resources as Tables" */
import type { Json } from "../model/json.ts";
import { formatRef, type ObjectRef } from "../model/refs.ts";
import type { NameKind } from "../model/words/kind-names.ts";
import type { ViewResource } from "./view-resources.ts";
import type { EffectivePolicyView, PolicyReachView } from "./view-types.ts";

export interface ViewColumn {
  readonly name: string;
  readonly type: "string" | "integer";
  readonly description: string;
  /** True for columns that only `-o wide` shows. */
  readonly isWide: boolean;
}

const column = (name: string, type: ViewColumn["type"], description: string): ViewColumn => ({
  name,
  type,
  description,
  isWide: false,
});
const wide = (name: string, type: ViewColumn["type"], description: string): ViewColumn => ({
  ...column(name, type, description),
  isWide: true,
});

const NAME = column("Name", "string", "The kind and the name of the object that the view is about.");

const effectiveColumns: readonly ViewColumn[] = [
  NAME,
  column("Policy Kinds", "integer", "How many policy kinds reach the object."),
  column("Values", "integer", "How many values take effect on it."),
  column("Contested", "integer", "How many of them override or replace a value of another policy."),
  column("From", "string", "The policies that the values come from."),
  wide("Paths", "integer", "The number of paths through the object."),
  wide("Caveats", "integer", "What could change the answer and is not known."),
];

const reachColumns: readonly ViewColumn[] = [
  NAME,
  column("Verdict", "string", "Whether the policy takes effect."),
  column("Paths", "integer", "The number of paths that the policy is on."),
  column("In Effect", "integer", "The number of paths on which some of its settings take effect."),
  column("Objects", "integer", "The number of objects and sections on which it takes effect."),
  wide("Overridden By", "string", "The policies that override its settings."),
  wide("Targets", "string", "The targets that it names."),
  wide("Caveats", "integer", "What could change the answer and is not known."),
];

export const viewColumns = ({ about }: Pick<ViewResource, "about">): readonly ViewColumn[] =>
  about === "Targets" ? effectiveColumns : reachColumns;

/** `kindName`: how kinds are named that share their name with another of the cluster. */
export const viewCells = (view: EffectivePolicyView | PolicyReachView, kindName: NameKind): readonly Json[] => {
  const name = (ref: ObjectRef): string => formatRef({ ...ref, kind: kindName(ref) });
  return "target" in view ? effectiveCells(view, name) : reachCells(view, name);
};

type NameObject = (ref: ObjectRef) => string;

function effectiveCells(
  { metadata, policyKinds, values, caveats }: EffectivePolicyView,
  name: NameObject,
): readonly Json[] {
  const set = values.filter(({ source }) => source !== undefined);
  const from = new Set(set.flatMap(({ source }) => (source?.policy === undefined ? [] : [name(source.policy)])));
  return [
    metadata.name,
    policyKinds.length,
    set.length,
    values.filter(({ lost }) => lost.some(({ reason }) => reason !== "equal" && reason !== "gated")).length,
    firstNames([...from]),
    Math.max(0, ...policyKinds.map(({ paths }) => paths)),
    caveats.length,
  ];
}

function reachCells(
  { metadata, verdict, paths, reached, values, targets, caveats }: PolicyReachView,
  name: NameObject,
): readonly Json[] {
  const by = new Set(
    values.flatMap(({ lost }) => lost.filter(({ reason }) => reason !== "equal").flatMap((one) => one.by.map(name))),
  );
  return [
    metadata.name,
    verdict.reason,
    paths.count,
    paths.full + paths.partial,
    reached.count,
    firstNames([...by]),
    firstNames(targets.flatMap(({ target }) => target ?? [])),
    caveats.length,
  ];
}

const SHOWN = 3;

const firstNames = (names: readonly string[]): string =>
  names.length > SHOWN ? `${names.slice(0, SHOWN).join(", ")}, …` : names.join(", ");
