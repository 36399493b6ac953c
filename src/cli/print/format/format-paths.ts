import type { PathNode } from "../../../core/effective/paths/path-node.ts";
import type { ExplainedPath } from "../../../core/explain/explain/result.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import { formatRef } from "../../../core/model/refs.ts";
import { formatTraffic } from "../../../core/model/traffic.ts";
import { glued } from "../terminal/styled-text.ts";

/** One step of a path: its level and its name. */
interface Step {
  readonly level: string;
  /** `rule`, `Service`: the word before the name. */
  readonly word: string;
  readonly name: string;
  /** Identifies the step within its level: sections of two objects may have the same name. */
  readonly key: string;
}

type Steps = ReadonlyMap<string, Step>;

const SECTIONS: Readonly<Record<string, string>> = { Gateway: "listener", ListenerSet: "listener", Service: "port" };

export const sectionWord = (kind: string): string =>
  SECTIONS[kind] ?? (kind.endsWith("Route") ? "rule" : kind.endsWith("ListenerSet") ? "listener" : "section");

/** Routes of all kinds are one level. */
const levelOf = (kind: string): string => (kind.endsWith("Route") ? "Route" : kind);

function stepsOf({ nodes, from }: ExplainedPath): Steps {
  const steps = new Map<string, Step>();
  const add = (level: string, step: Omit<Step, "level">): void => {
    // A mesh path contains two Services: the requested one and the backend.
    const own = steps.has(level) ? `${level} again` : level;
    steps.set(own, { level: own, ...step });
  };
  if (from !== undefined) add("from", { word: "traffic from", name: formatTraffic(from), key: from });
  for (const node of nodes) {
    const { kind, namespace, name, sectionName } = node;
    const key = formatRef(node, sectionName);
    if (sectionName !== undefined) add(`${levelOf(kind)}#`, { word: sectionWord(kind), name: sectionName, key });
    else add(levelOf(kind), { word: kind, name: namespace === "" ? name : `${namespace}/${name}`, key });
  }
  return steps;
}

/** True if the first node of an incomplete path has a parent that is not in the input. Nothing is above a GatewayClass. */
export const startsWithin = ({ nodes: [first], incomplete }: ExplainedPath): boolean =>
  incomplete === true && first?.kind !== "GatewayClass";

/** `GatewayClass house > Gateway infra/prod > listener http > HTTPRoute bakery/baker > rule order`. */
export function formatPath(path: ExplainedPath): string {
  const steps = [...stepsOf(path).values()].map(({ word, name }) => glued(`${word} ${name}`));
  return `${startsWithin(path) ? "… > " : ""}${steps.join(" > ")}`;
}

export function formatNode(node: PathNode): string {
  const { kind, namespace, name, sectionName } = node;
  return sectionName === undefined
    ? glued(formatRef(node))
    : `${glued(`${sectionWord(kind)} ${sectionName}`)} of ${glued(`${kind} ${namespace}/${name}`)}`;
}

const MOST_NAMES = 6;

/** All paths in one line: `Gateway infra/prod > listener http | https > …`. */
export function formatPathsTogether(paths: readonly ExplainedPath[]): string {
  const all = paths.map(stepsOf);
  const levels = [...new Set(all.flatMap((steps) => [...steps.keys()]))];
  const parts = sortLevels(levels, all).map((level) => {
    const names = withWords(byName(distinct(all, level)), false);
    const shown = names.slice(0, MOST_NAMES).join(" | ");
    return names.length > MOST_NAMES ? `${shown} | ${names.length - MOST_NAMES} more` : shown;
  });
  return `${paths.some(startsWithin) ? "… > " : ""}${parts.join(" > ")}`;
}

/** The levels of all paths, in the order of the paths. A level that only some paths have keeps its position. */
function sortLevels(levels: readonly string[], all: readonly Steps[]): readonly string[] {
  const depth = (level: string): number =>
    Math.max(...all.map((steps) => (steps.has(level) ? [...steps.keys()].indexOf(level) : -1)));
  return levels.toSorted((a, b) => depth(a) - depth(b));
}

function distinct(all: readonly Steps[], level: string): readonly Step[] {
  const found = new Map<string, Step>();
  for (const steps of all) {
    const step = steps.get(level);
    if (step !== undefined) found.set(step.key, step);
  }
  return [...found.values()];
}

/** Describes some of the paths in as few words as single them out; undefined if no words do. */
export type FormatDifference = (some: readonly ExplainedPath[]) => string | undefined;

/** Describes parts of `all`. The steps of each path are found once. */
export function createDifference(all: readonly ExplainedPath[]): FormatDifference {
  const known = new Map<ExplainedPath, Steps>();
  const steps = (path: ExplainedPath): Steps => remember(known, path, () => stepsOf(path));
  return (some) => formatDifference(some.map(steps), all.map(steps));
}

/** `rule order through listener http`. */
function formatDifference(chosen: readonly Steps[], everyone: readonly Steps[]): string | undefined {
  const keyOf = (steps: Steps, level: string): string => steps.get(level)?.key ?? "";
  const keysOf = (among: readonly Steps[], level: string): ReadonlySet<string> =>
    new Set(among.map((steps) => keyOf(steps, level)));
  const levels = [...new Set(everyone.flatMap((steps) => [...steps.keys()]))].filter((level) => {
    const keys = keysOf(chosen, level);
    return keys.size < keysOf(everyone, level).size && !keys.has("");
  });
  const isExact = (limits: readonly string[]): boolean => {
    const allowed = limits.map((level) => [level, keysOf(chosen, level)] as const);
    const admitted = everyone.filter((steps) => allowed.every(([level, keys]) => keys.has(keyOf(steps, level))));
    return admitted.length === chosen.length;
  };
  if (!isExact(levels)) return undefined;
  let needed = levels;
  for (const level of levels.toSorted((a, b) => weight(a) - weight(b))) {
    const fewer = needed.filter((one) => one !== level);
    if (isExact(fewer)) needed = fewer;
  }
  if (needed.length === 0) return undefined;
  const owners = (level: string): number => distinct(everyone, level.replace("#", "")).length;
  return needed
    .toSorted((a, b) => Number(a === "Gateway#") - Number(b === "Gateway#"))
    .map((level) => `${level.startsWith("Gateway") ? "through " : ""}${nameLevel(chosen, level, owners(level) > 1)}`)
    .join(", ");
}

/** The order in which levels are removed from a description, lowest first. A route is shorter to read than all its rules. */
function weight(level: string): number {
  if (level === "Namespace") return 0;
  // The source of the traffic distinguishes mesh paths, with a route or without one.
  if (level === "from") return 5;
  if (level === "Service#") return 1;
  if (level === "Route#") return 2;
  return level.startsWith("Service") ? 3 : 4;
}

function nameLevel(chosen: readonly Steps[], level: string, qualified: boolean): string {
  const found = distinct(chosen, level);
  const isQualified = qualified && level.endsWith("#");
  const words = withWords(isQualified ? found : plural(byName(found)), isQualified);
  const shown = words.slice(0, MOST_NAMES);
  const rest = words.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : listWords(shown);
}

/** Steps with distinct texts. Sections of two objects may have the same name. */
const byName = (steps: readonly Step[]): readonly Step[] => [
  ...new Map(steps.map((step) => [`${step.word} ${step.name}`, step])).values(),
];

/** The plural of a word, such as `rules`. Kinds are not changed. */
function plural(steps: readonly Step[]): readonly Step[] {
  if (steps.length < 2) return steps;
  return steps.map((step) => (/^[a-z]+$/.test(step.word) ? { ...step, word: `${step.word}s` } : step));
}

/** The names of steps with their words. A word that follows itself is written once: `rule order`, `menu`. */
function withWords(steps: readonly Step[], qualified: boolean): readonly string[] {
  let last: string | undefined;
  return steps.map(({ word, name, key }) => {
    if (qualified) return glued(key);
    const text = word === last ? name : `${word} ${name}`;
    last = word;
    return glued(text);
  });
}

/** `a`, `a and b`, `a, b and c`. */
export const listWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
