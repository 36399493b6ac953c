import { buildGraph } from "../../core/explain/graph/build-graph.ts";
import type { Graph } from "../../core/explain/graph/result.ts";
import { type Redaction, redactOption } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { API_VERSION, openRef } from "../print/effective-json.ts";
import { printData } from "../print/print-data.ts";
import { findTarget } from "../target/find-targets.ts";
import { graphDot, graphMermaid } from "./dot-and-mermaid.ts";
import { graphSvg } from "./svg.ts";
import { printGraph } from "./text.ts";

export const command: Command = {
  usage: ["[TARGET] -f FILE|DIR|- [-o mermaid|dot|svg|json]"],
  description: [
    "Prints the topology: parents and children, the policies attached to each, and whether they take effect. " +
      "With a TARGET: the objects above and below it.",
    "Without -o it is a tree. svg is a drawing that needs no other program; dot is for Graphviz, mermaid for Markdown pages.",
  ],
  options: [redactOption],
  takes: ["scope", "source"],
  outputs: ["mermaid", "dot", "svg", "json"],
  examples: [
    { what: "The whole topology, as a drawing", line: "graph -o svg -f examples/bakery" },
    { what: "The objects above and below one route", line: "graph httproute/baker -f examples/bakery" },
    {
      what: "The objects above and below one route, for a Markdown page",
      line: "graph httproute/baker -o mermaid -f examples/bakery",
    },
  ],
  run: async (context) => {
    const { args, options, load, fail, output } = context;
    const parsed = parseVisibleScope(options);
    if (!parsed.ok) return fail(parsed.message);
    const { scope, redaction } = parsed.view;
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const { world } = source;
    if (args.length === 0) return draw(buildGraph(world), output, redaction, context);
    const search = findTarget(world, args, scope);
    if (!search.ok) return fail(search.message, ...search.hints);
    return draw(buildGraph(world, search.target), output, redaction, context);
  },
};

function draw(graph: Graph, output: string | undefined, redaction: Redaction, { print }: CommandContext): ExitCode {
  if (output === "json") printData(print, "json", graphJson(graph, redaction));
  else if (output === "svg") print.raw(graphSvg(graph, redaction));
  else if (output === "dot") print.raw(graphDot(graph, redaction));
  else if (output === "mermaid") print.raw(graphMermaid(graph, redaction));
  else printGraph(graph, redaction, print);
  return exitCodes.ok;
}

const graphJson = ({ nodes, edges }: Graph, redaction: Redaction): object => ({
  apiVersion: API_VERSION,
  kind: "Graph",
  nodes: nodes.map(({ id, ref, sectionName, implied, policies }) => ({
    id,
    ...ref,
    ...(sectionName === undefined ? {} : { sectionName }),
    ...(implied === undefined ? {} : { implied }),
    policies: policies
      .filter(({ policy }) => !redaction.isHidden(policy))
      .map(({ policy, state, by }) => ({
        policy: openRef(policy),
        state,
        by: by.filter((winner) => !redaction.isHidden(winner)).map(openRef),
      })),
  })),
  edges,
});
