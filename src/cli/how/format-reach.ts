import type { HowReach } from "../../core/explain/how/result.ts";
import { listWords } from "../print/format/format-paths.ts";
import { countWord } from "../print/print-targets.ts";

/** `changes 2 values on 2 paths, nothing else`, `changes 2 values on 2 paths; also changes 22 values on 10 paths in namespaces bakery and shop`. */
export function formatReach({ wanted, others, sameValue }: HowReach): string {
  const own = `changes ${countWord(wanted.values, "value")} on ${countWord(wanted.paths, "path")}`;
  const kept =
    sameValue === 0
      ? ""
      : `; ${countWord(sameValue, "value")} stay${sameValue === 1 ? "s" : ""} the same, from another source`;
  if (others.values === 0) return `${own}, nothing else${kept}`;
  const names = others.namespaces.map((name) => (name === "" ? "no namespace" : name));
  const where = names.length === 1 ? `namespace ${names[0] ?? ""}` : `namespaces ${listWords(names)}`;
  return `${own}; also changes ${countWord(others.values, "value")} on ${countWord(others.paths, "path")} in ${where}${kept}`;
}
