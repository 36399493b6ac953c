import type { Caveat } from "../../core/caveats/caveat.ts";
import type { World } from "../../core/effective/world/world.ts";
import { buildGraph, type GraphOptions } from "../../core/explain/graph/build-graph.ts";
import { foldGraph } from "../../core/explain/graph/fold-graph.ts";
import { topologyObjects } from "../../core/explain/graph/graph-edges.ts";
import type { Graph } from "../../core/explain/graph/result.ts";
import type { ObjectOrSection } from "../../core/explain/paths-through.ts";
import { kindId, type TargetId, targetId } from "../../core/model/refs.ts";
import { type Redaction, redactionFor, redactOption } from "../args/redaction.ts";
import { parseVisibleScope } from "../args/visible-scope.ts";
import { answerCaveats, questionAbout } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { formatCaveat, printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
import { type FoundTarget, findTarget, isListed, type Scope } from "../target/find-targets.ts";
import { graphDot } from "./dot.ts";
import type { Drawn } from "./drawn.ts";
import { graphJson } from "./json.ts";
import { graphMermaid, mermaidExcess } from "./mermaid.ts";
import { graphNotes } from "./notes.ts";
import { graphOptions, parseDepth, parseKinds } from "./parse-graph-options.ts";
import { graphSvg } from "./svg/svg.ts";
import { printGraph } from "./text.ts";

export const command: Command = {
  usage: ["[TARGET] [-f FILE|DIR|-] [-o mermaid|dot|svg|json]"],
  description: [
    "Prints the topology: parents and children, the policies attached to each, and whether they take effect. " +
      "With a TARGET, or with -n or -l: the selected objects and the objects above and below them. For a Namespace: the objects in it.",
    "Without -o it is a tree. svg is a drawing as wide as a page that needs no other program, with a frame for each namespace; dot is for Graphviz, mermaid for Markdown pages.",
    "Four or more objects without policies of their own that have the same kind, namespace and parents are one node with their number; so are 25 or more that have policies of the same kinds with the same effect. " +
      "Rules and ports without policies are left out. The drawing says what is folded and left out. -o json has every section and folds nothing; its schema is docs/schemas/graph.json.",
  ],
  options: [...graphOptions, redactOption],
  takes: ["scope", "source", "definitions", "cluster"],
  outputs: ["mermaid", "dot", "svg", "json"],
  examples: [
    { what: "The whole topology, as a drawing", line: "graph -o svg -f examples/bakery" },
    { what: "The objects above and below one route", line: "graph httproute/baker -f examples/bakery" },
    {
      what: "The objects above and below one route, for a Markdown page",
      line: "graph httproute/baker -o mermaid -f examples/bakery",
    },
    {
      what: "Only Gateways and routes, and only their retry policies",
      line: "graph --kind gateway,httproute,retrypolicy -f examples/bakery",
    },
    { what: "What is attached to the Gateway, without backends", line: "graph gtw/prod --depth 1 -f examples/bakery" },
  ],
  run: async (context) => {
    const { args, options, load, fail } = context;
    const parsed = parseVisibleScope(options);
    if (!parsed.ok) return fail(parsed.message);
    const { scope } = parsed.view;
    const depth = parseDepth(options);
    if (typeof depth === "string") return fail(depth);
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const { world } = source;
    const kinds = parseKinds(options, world);
    if ("problem" in kinds) return fail(kinds.problem);
    const search = args.length === 0 ? undefined : findTarget(world, args, scope);
    if (search?.ok === false) return fail(search.message, ...search.hints);
    const target = search?.target;
    const targets = target === undefined ? inScope(world, scope) : withMembers(world, target);
    const redaction = redactionFor(parsed.view.redaction, world);
    const caveats = answerCaveats(source, questionAbout(world, targets), { redaction });
    const graph = buildGraph(world, {
      ...depth,
      ...withTargetKind(kinds, target),
      ...(targets === undefined ? {} : { targets }),
      sections: options.has("sections") || context.output === "json" ? "All" : "Used",
      lone: options.has("lone") || target !== undefined ? "Drawn" : "LeftOut",
    });
    const focus = new Set(target === undefined ? [] : [targetId(target.id, target.sectionName)]);
    draw(graph, { focus, redaction, caveats }, context);
    if (graph.nodes.length === 0) context.note("nothing to draw: no Gateway, route or Service is selected");
    return exitCodeWith(caveats, options, exitCodes.ok);
  },
};

/** The objects that -n and -l select. Undefined: all. */
function inScope(world: World, scope: Scope): readonly ObjectOrSection[] | undefined {
  if (scope.namespace === undefined && scope.selector === undefined) return undefined;
  return topologyObjects(world).flatMap((id) => {
    const object = world.objects.get(id);
    return object !== undefined && isListed(object, scope) ? [{ id }] : [];
  });
}

/** A target, and for a Namespace the objects in it. */
function withMembers(world: World, target: FoundTarget): readonly ObjectOrSection[] {
  const { group, kind, name } = target.ref;
  const isNamespace = kind === "Namespace" && group === "";
  return [target, ...(isNamespace ? (inScope(world, { namespace: name, selector: undefined }) ?? []) : [])];
}

/** The target is drawn, whatever its kind. */
function withTargetKind(
  { kinds, policyKinds }: Pick<GraphOptions, "kinds" | "policyKinds">,
  target: FoundTarget | undefined,
): Pick<GraphOptions, "kinds" | "policyKinds"> {
  const drawn = kinds === undefined || target === undefined ? kinds : new Set([...kinds, kindId(target.ref)]);
  return {
    ...(drawn === undefined ? {} : { kinds: drawn }),
    ...(policyKinds === undefined ? {} : { policyKinds }),
  };
}

interface Answer {
  readonly focus: ReadonlySet<TargetId>;
  readonly redaction: Redaction;
  readonly caveats: readonly Caveat[];
}

function draw(whole: Graph, { focus, redaction, caveats }: Answer, context: CommandContext): void {
  const { print, errorPrint, output, options, note } = context;
  if (output === "json") {
    printData(print, "json", graphJson(whole, redaction, caveats));
    return;
  }
  const graph = options.has("no-fold") ? whole : foldGraph(whole, focus);
  const drawn: Drawn = { redaction, focus, notes: graphNotes(graph), caveats: caveats.map(formatCaveat) };
  if (output === "svg") print.raw(graphSvg(graph, drawn));
  else if (output === "dot") print.raw(graphDot(graph, drawn));
  else if (output === "mermaid") {
    const text = graphMermaid(graph, drawn);
    const excess = mermaidExcess(text);
    print.raw(text);
    if (excess !== undefined) note(`${excess}; select fewer objects with TARGET, -n, --kind or --depth, or use -o svg`);
  } else printGraph(graph, drawn, print);
  printCaveats(caveats, output === undefined ? print : errorPrint);
}
