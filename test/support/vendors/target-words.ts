import type {
  AbsentTarget,
  LevelKind,
  NamingField,
  PolicyDefinition,
  TargetKind,
} from "../../../src/core/model/definition.ts";
import { joinWords, pluralKind } from "../../../src/core/model/words/count-kinds.ts";

/** What a policy may be attached to, in words: the targets that it names, the objects that name it, and what no target means. */
export function targetWords({ targeting }: PolicyDefinition): string {
  const { kinds, namedBy = [], absent } = targeting;
  const all = [
    ...(kinds.length === 0 ? [] : [kinds.map(kindWords).join(", ")]),
    ...(namedBy.length === 0 ? [] : [`${kinds.length === 0 ? "" : "also "}objects that name it`]),
    ...(absent === undefined ? [] : [absentWords(absent)]),
  ];
  return all.join("; ");
}

/** How targets are written, in words. */
export function namingWords({ targeting }: PolicyDefinition): string {
  const { kinds, namedBy = [], impliedKind, selectorNamespaces } = targeting;
  const targets = kinds.length === 0 ? [] : [refWords(targeting)];
  const implied = impliedKind === undefined ? [] : [`a target without a kind is a ${impliedKind}`];
  const byLabel =
    targeting.selectors && selectorNamespaces !== undefined
      ? [selectorWords(selectorNamespaces, targeting.fields.selectors)]
      : [];
  return [...targets, ...implied, ...byLabel, ...namedByLines(namedBy)].join("; ");
}

const ownerWords = (group: string): string => (["", "gateway.networking.k8s.io"].includes(group) ? "" : ` (${group})`);

function kindWords({ kind, group, sections, sectionRequired = false, byPort = false, virtual }: TargetKind): string {
  const nouns = sections.map((section) => `${section.toLowerCase()}s`).join(" and ");
  const port = byPort ? ", by name or port" : "";
  if (sectionRequired) return `${nouns} of ${pluralKind(kind)}${ownerWords(group)}${port}, not whole ones`;
  return `${kind}${ownerWords(group)}${virtual ? " (needs no such object)" : ""}${nouns === "" ? "" : ` and its ${nouns}${port}`}`;
}

const ACROSS = {
  Forbidden: "in its own namespace",
  ReferenceGrant: "in other namespaces with a ReferenceGrant",
  Consumer: "in other namespaces, for requests from its own",
} as const;

function refWords({ fields, refs, selectors, crossNamespace }: PolicyDefinition["targeting"]): string {
  const names = refs === "One" ? `one \`${fields.ref}\`` : `\`${fields.ref}\` or \`${fields.refs}\``;
  return `${names}${selectors ? `, or by label (\`${fields.selectors}\`)` : ""}, ${ACROSS[crossNamespace]}`;
}

function selectorWords(
  { field, grants, everywhere }: NonNullable<PolicyDefinition["targeting"]["selectorNamespaces"]>,
  selectors: string,
): string {
  const words = [
    ...(field === undefined
      ? []
      : [
          `\`${field}\` of an item of \`${selectors}\` selects in other namespaces${grants === "Needed" ? ", with a ReferenceGrant there" : ""}`,
        ]),
    ...(everywhere.length === 0
      ? []
      : [`policies in ${everywhere.map((name) => `\`${name}\``).join(", ")} select in all namespaces`]),
  ];
  return words.join("; ");
}

/** Each field once, with all levels that have it. */
function namedByLines(fields: readonly NamingField[]): readonly string[] {
  const levels = new Map<string, string[]>();
  for (const { level, path, annotation } of fields) {
    const field = path === undefined ? `the annotation \`${annotation ?? ""}\`` : `\`${path}\``;
    levels.set(field, [...(levels.get(field) ?? []), levelWords(level)]);
  }
  return [...levels].map(([field, of]) => `${field} of ${joinWords(of)}`);
}

const levelWords = ({ section, kind }: LevelKind): string =>
  section === undefined ? pluralKind(kind) : `${section.toLowerCase()}s of ${pluralKind(kind)}`;

/** Where a policy without a target is attached. */
function absentWords({ means, rootNamespace, workloadSelector, workloads = [] }: AbsentTarget): string {
  if (means === "Nothing") return "without a target nothing";
  const words = [
    "without a target its Namespace",
    ...(rootNamespace === undefined ? [] : [`in \`${rootNamespace}\` all Namespaces`]),
    ...(workloadSelector === undefined
      ? []
      : [
          `with labels at \`${workloadSelector}\` the workloads that have them (${workloads.map(({ kind }) => kind).join(", ")})`,
        ]),
  ];
  return words.join(", ");
}
