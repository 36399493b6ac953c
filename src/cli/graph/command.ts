import type { Caveat } from "../../core/caveats/caveat.ts";
import type { World } from "../../core/effective/world/world.ts";
import { buildGraph } from "../../core/explain/graph/build-graph.ts";
import type { Graph } from "../../core/explain/graph/result.ts";
import type { ObjectOrSection } from "../../core/explain/paths-through.ts";
import { type Redaction, redactOption } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import { answerCaveats, questionAbout } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { caveatsJson } from "../caveats/json.ts";
import { formatCaveat, printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { API_VERSION, openRef } from "../print/effective-json.ts";
import { printData } from "../print/print-data.ts";
import { findTarget, isListed, type Scope } from "../target/find-targets.ts";
import { graphDot, graphMermaid } from "./dot-and-mermaid.ts";
import { graphSvg } from "./svg.ts";
import { printGraph } from "./text.ts";

export const command: Command = {
  usage: ["[TARGET] -f FILE|DIR|- [-o mermaid|dot|svg|json]"],
  description: [
    "Prints the topology: parents and children, the policies attached to each, and whether they take effect. " +
      "With a TARGET, or with -n or -l: the selected objects and the objects above and below them.",
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
    const search = args.length === 0 ? undefined : findTarget(world, args, scope);
    if (search?.ok === false) return fail(search.message, ...search.hints);
    const targets = search === undefined ? inScope(world, scope) : [search.target];
    const caveats = answerCaveats(source, questionAbout(world, targets), { redaction });
    const graph = buildGraph(world, targets);
    draw(graph, caveats, output, redaction, context);
    if (graph.nodes.length === 0) context.note("nothing to draw: no Gateway, route or Service is selected");
    return exitCodeWith(caveats, options, exitCodes.ok);
  },
};

/** The objects that -n and -l select. Undefined: all. */
function inScope(world: World, scope: Scope): readonly ObjectOrSection[] | undefined {
  if (scope.namespace === undefined && scope.selector === undefined) return undefined;
  const listed: ObjectOrSection[] = [];
  world.links.forEach((_, id) => {
    const object = world.objects.get(id);
    if (object !== undefined && isListed(object, scope)) listed.push({ id });
  });
  return listed;
}

function draw(
  graph: Graph,
  caveats: readonly Caveat[],
  output: string | undefined,
  redaction: Redaction,
  { print, errorPrint }: CommandContext,
): void {
  const lines = caveats.map(formatCaveat);
  if (output === "json") printData(print, "json", graphJson(graph, redaction, caveats));
  else if (output === "svg") print.raw(graphSvg(graph, redaction, lines));
  else if (output === "dot") print.raw(graphDot(graph, redaction, lines));
  else if (output === "mermaid") print.raw(graphMermaid(graph, redaction, lines));
  else printGraph(graph, redaction, print);
  if (output !== "json") printCaveats(caveats, output === undefined ? print : errorPrint);
}

const graphJson = ({ nodes, edges }: Graph, redaction: Redaction, caveats: readonly Caveat[]): object => ({
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
  caveats: caveatsJson(caveats),
});
