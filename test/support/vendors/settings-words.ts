import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import { formatLevel } from "../../../src/core/model/levels.ts";
import { governsMeanings } from "../../../src/core/model/words/governs-words.ts";
import { mergeWords } from "./merge-words.ts";

const pathWords = (paths: readonly string[]): string => paths.map((path) => `\`${path}\``).join(", ");

/** What the settings of a kind are about: the group in which `explain` shows them. */
export function governsWords({ governs, governsPaths = [] }: PolicyDefinition): string {
  const rest = governs === undefined ? "not declared" : governsMeanings[governs];
  if (governsPaths.length === 0) return rest;
  const parts = governsPaths.map(({ governs: word, paths }) => `${pathWords(paths)}: ${governsMeanings[word]}`);
  return `${rest}; ${parts.join("; ")}`;
}

/** Settings with rules of their own, one line each. */
export const partLines = ({ parts = [], hierarchy, ...definition }: PolicyDefinition): readonly string[] =>
  parts.map(({ paths, targets, effectiveTargets = hierarchy.effectiveTargets, merge }) => {
    const onto = targets === undefined ? "" : ` on ${targets.map(formatLevel).join(", ")}`;
    const at = `take effect at ${effectiveTargets.map((level) => `\`${formatLevel(level)}\``).join(", ")}`;
    const how = merge === undefined ? "" : `; ${mergeWords({ class: definition.class, merge })}`;
    return `${pathWords(paths)}${onto} ${at}${how}.`;
  });

/** Values that answers for others never have. */
export const sensitiveWords = ({ sensitive = [] }: PolicyDefinition): string =>
  sensitive.length === 0 ? "none is marked" : pathWords(sensitive);
