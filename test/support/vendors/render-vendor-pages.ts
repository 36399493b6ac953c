/** The pages about the policy kinds of implementations, as Markdown. */
import type { PolicyDefinition, TargetKind } from "../../../src/core/model/definition.ts";
import { formatLevel } from "../../../src/core/model/levels.ts";
import { mergeWords } from "./merge-words.ts";
import { governsWords, partLines, sensitiveWords } from "./settings-words.ts";
import { namingWords, targetWords } from "./target-words.ts";
import { ASPECTS, type VendorFacts } from "./vendor-facts.ts";

/** The page of one vendor. */
export function renderVendorPage(facts: VendorFacts, definitions: readonly PolicyDefinition[]): string {
  const sections = [
    `# ${facts.title}`,
    "<!-- Generated from src/definitions by test/docs/vendors.test.ts. Do not edit. -->",
    `Read in ${facts.readAt}. ${countCases(facts)} cases in \`test/vendors\` test it. [vendors.md](../vendors.md) has all implementations, and what the words of the table mean.`,
    ...definitions.map((definition) => renderKind(definition, facts)),
    ...list("Where its rules differ from GEP-713", facts.deviates),
    ...list("What Prevail does not model", facts.notModelled),
    ...list("How it was compared", facts.compared),
    ...list("Kinds without a definition", missingLines(facts)),
  ];
  return `${sections.join("\n\n")}\n`;
}

function renderKind(definition: PolicyDefinition, { kinds }: VendorFacts): string {
  const { policies, hierarchy, controllers, approximate = [] } = definition;
  const [{ group, kind }] = policies;
  const rating = kinds[kind];
  const rows = [
    ["class", definition.class],
    ["is about", governsWords(definition)],
    ["may target", targetWords(definition)],
    ["by", namingWords(definition)],
    ["takes effect on", hierarchy.effectiveTargets.map((level) => `\`${formatLevel(level)}\``).join(", ")],
    ["merge", mergeWords(definition)],
    [
      "behind Gateways of",
      controllers.length === 0 ? "every controller" : controllers.map((one) => `\`${one}\``).join(", "),
    ],
    ["may be secret", sensitiveWords(definition)],
    ["this definition is", ASPECTS.map((aspect) => `${aspect}: ${rating?.[aspect] ?? "not modelled"}`).join("; ")],
  ];
  const lines = [`## ${kind} (${group})`, "", "| | |", "| --- | --- |", ...rows.map(([a, b]) => `| ${a} | ${b} |`)];
  const parts = partLines(definition);
  if (parts.length > 0) lines.push("", "Settings with rules of their own:", "", ...parts.map((line) => `- ${line}`));
  const forbidden = definition.targeting.kinds.flatMap(forbiddenLines);
  if (forbidden.length > 0) lines.push("", "Settings that a policy with such a target cannot have:", "", ...forbidden);
  if (approximate.length > 0) lines.push("", "Approximations, which answers show as a caveat:", "");
  const anyOf = (paths: readonly string[]): string => paths.map((path) => `\`${path}\``).join(" or ");
  for (const { because, paths, with: others } of approximate) {
    const condition = [paths, others ?? []].filter((some) => some.length > 0).map(anyOf);
    lines.push(`- ${condition.length === 0 ? capital(because) : `With ${condition.join(", and ")}: ${because}`}.`);
  }
  return lines.join("\n");
}

const forbiddenLines = ({ kind, forbids = [] }: TargetKind): readonly string[] =>
  forbids.map(({ path, bySectionName = false, because }) => {
    const target = `${kind}${bySectionName ? ", with `sectionName`" : ""}`;
    return `- ${target}: \`${path}\`${because === undefined ? "" : ` (${because})`}`;
  });

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const missingLines = ({ missing = {} }: VendorFacts): readonly string[] =>
  Object.entries(missing).map(([kind, because]) => `**${kind}**: ${because}.`);

function list(title: string, items: readonly string[] = []): readonly string[] {
  return items.length === 0 ? [] : [`## ${title}`, items.map((item) => `- ${item}`).join("\n")];
}

/** One row for each kind of each vendor. */
export function renderOverview(all: readonly VendorFacts[]): string {
  const rows = all.flatMap(({ vendor, title, kinds, missing = {} }) => {
    const name = `[${title}](vendors/${vendor}.md)`;
    return [
      ...Object.entries(kinds).map(([kind, rating]) => [name, kind, ...ASPECTS.map((aspect) => rating[aspect])]),
      ...Object.keys(missing).map((kind) => [name, kind, ...ASPECTS.map(() => "not modelled")]),
    ];
  });
  return table(["implementation", "kind", ...ASPECTS], rows);
}

export const countCases = ({ cases }: VendorFacts): number =>
  Object.values(cases).reduce((sum, count) => sum + count, 0);

/** What the definitions of each vendor rest on. */
export function renderProof(all: readonly VendorFacts[]): string {
  const rows = all.map((facts) => [
    `[${facts.title}](vendors/${facts.vendor}.md)`,
    facts.readAt,
    String(countCases(facts)),
    facts.compared === undefined ? "–" : `[yes](vendors/${facts.vendor}.md#how-it-was-compared)`,
  ]);
  return table(["implementation", "rules read in", "cases", "compared with its own test data"], rows);
}

/** One row for each vendor. */
export function renderShortTable(all: readonly VendorFacts[]): string {
  const rows = all.map(({ vendor, title, kinds, missing = {} }) => {
    const rated = Object.entries(kinds);
    const isExact = ([, rating]: (typeof rated)[number]): boolean =>
      ASPECTS.every((aspect) => aspect === "status" || rating[aspect] === "exact");
    const names = (wanted: boolean): string =>
      rated
        .filter((one) => isExact(one) === wanted)
        .map(([kind]) => kind)
        .join(", ") || "–";
    return [`[${title}](docs/vendors/${vendor}.md)`, names(true), names(false), Object.keys(missing).join(", ") || "–"];
  });
  return table(["implementation", "exact", "approximate, with a caveat", "without a definition"], rows);
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
