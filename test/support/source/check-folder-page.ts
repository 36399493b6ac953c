import { findLayer, type Layer } from "./check-architecture.ts";

/** A folder of the sources with its `README.md`. */
export interface FolderPage {
  /** The path from the root of the repository, such as `src/core/merge`. */
  readonly folder: string;
  /** The page. Undefined: there is none. */
  readonly text: string | undefined;
}

/** Layers that a page may name together. */
export interface LayerGroup {
  readonly words: string;
  readonly layers: readonly string[];
}

export interface PageRules {
  readonly layers: readonly Layer[];
  /** Larger groups first. */
  readonly groups: readonly LayerGroup[];
  readonly exists: (path: string) => boolean;
}

/** One sentence for each thing that the page does not say: what the folder is for, what it may import, where to begin reading. */
export function checkFolderPage({ folder, text }: FolderPage, rules: PageRules): readonly string[] {
  const page = `${folder}/README.md`;
  if (text === undefined) return [`${page}: does not exist`];
  return [...checkPurpose(text), ...checkImports(folder, text, rules), ...checkBeginning(folder, text, rules)].map(
    (violation) => `${page}: ${violation}`,
  );
}

const RIDDLE = /^(?:What|Which|How|Where|Whether|Who|They|It|Its)\b/;

function checkPurpose(text: string): readonly string[] {
  const [title = "", purpose = ""] = text.split(/\n{2,}/);
  if (!/^# \S/.test(title)) return ["begins with a title"];
  const isSentence = /^[A-Z`][^|]*[.:](?:\s|$)/.test(purpose) && !RIDDLE.test(purpose);
  return isSentence ? [] : ["says first what the folder is for, in a sentence with a subject"];
}

function checkImports(folder: string, text: string, rules: PageRules): readonly string[] {
  const layer = findLayer(`${folder}/a.ts`, rules.layers);
  // A folder of folders, each of which is a layer.
  if (layer === undefined) return /\bmay import\b/.test(text) ? [] : ["says what its folders may import"];
  const sentence = importSentence(folder, layer, rules);
  const others = [...text.replaceAll(/\s+/g, " ").matchAll(/May import (?:`[^`]*`|[^`.])*\./g)].map(([found]) => found);
  const isSame = others.length === 1 && others[0] === sentence;
  return isSame ? [] : [`says what it may import, as the table of test/architecture.test.ts has it: ${sentence}`];
}

/** `May import the core and definitions.`; for a folder inside of a layer: `May import what core/explain may.` */
function importSentence(folder: string, { name, contains, mayImport }: Layer, { groups }: PageRules): string {
  const isPart = contains.endsWith("/") && contains !== `${folder}/`;
  return `May import ${isPart ? `what \`${name}\` may` : importWords(mayImport, groups)}.`;
}

function importWords(mayImport: readonly string[], groups: readonly LayerGroup[]): string {
  const whole = groups.filter(({ layers }) => layers.every((name) => mayImport.includes(name)));
  const wordOf = (name: string): string => whole.find(({ layers }) => layers.includes(name))?.words ?? `\`${name}\``;
  return listed([...new Set(mayImport.map(wordOf))]);
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? "nothing") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

function checkBeginning(folder: string, text: string, { exists }: PageRules): readonly string[] {
  const [, first] = /\bBegin\s+with\s+`([^`]+)`/.exec(text) ?? [];
  if (first === undefined) return ["says where to begin reading: Begin with `FILE`."];
  return exists(`${folder}/${first}`) ? [] : [`says to begin with ${first}, which does not exist in ${folder}`];
}
