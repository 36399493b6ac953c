import type { Caveat } from "../../core/caveats/caveat.ts";
import type { Graph } from "../../core/explain/graph/result.ts";
import type { Redaction } from "../args/redaction.ts";
import { caveatsJson } from "../caveats/json.ts";
import { API_VERSION, openRef } from "../print/data/effective-json.ts";

/** `graph -o json`. Nothing is folded. */
export const graphJson = (
  { nodes, edges, leftOut }: Graph,
  redaction: Redaction,
  caveats: readonly Caveat[],
): object => ({
  apiVersion: API_VERSION,
  kind: "Graph",
  nodes: nodes.map(({ id, ref, sectionName, implied, absent, policies }) => ({
    id,
    ...ref,
    ...(sectionName === undefined ? {} : { sectionName }),
    ...(implied === undefined ? {} : { implied }),
    ...(absent === undefined ? {} : { absent }),
    policies: policies
      .filter(({ policy }) => !redaction.isHidden(policy))
      .map(({ policy, state, by }) => ({
        policy: openRef(policy),
        state,
        by: by.filter((winner) => !redaction.isHidden(winner)).map(openRef),
      })),
  })),
  edges,
  leftOut,
  caveats: caveatsJson(caveats),
});
