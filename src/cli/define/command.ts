import { sketchDefinition } from "../../core/model/define/sketch-definition.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { parseCrd } from "../../core/model/parse/definition/parse-crd.ts";
import { kindId } from "../../core/model/refs.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { findCrds } from "./find-crds.ts";
import { sketchYaml } from "./yaml.ts";

export const command: Command = {
  usage: ["[NAME|KIND]… -f FILE|DIR|-", "FILE"],
  description: [
    "Writes a PolicyDefinition for the policy kind of a CustomResourceDefinition, as YAML to edit. It takes from the CRD what is there: the fields that name targets, the kinds that the schema or its validation " +
      "rules allow, sections, the blocks of defaults and overrides, the field that selects a merge strategy, maps of named rules, and the status. " +
      "The rest is guessed, and each guess is marked by a comment: check it against the documentation of the kind.",
    "Without a name: for every CRD in the files that has a field for targets, or the label gateway.networking.k8s.io/policy. docs/definitions.md describes the fields.",
  ],
  options: [],
  takes: ["source"],
  outputs: [],
  examples: [
    { what: "A definition for each policy kind of a vendor", line: "define -f deploy/crds" },
    { what: "For one kind", line: "define retrypolicies.prevail.dev -f deploy/crds" },
    { what: "From a file", line: "define deploy/crds/retrypolicies.yaml" },
  ],
  run: async (context) => {
    const { args, options, load, io } = context;
    const isFile = options.values("filename").length === 0 && args.length > 0 && args.every(isPath);
    const source = await (isFile ? load({ paths: args, fileSystem: io.fileSystem, nameOf: (file) => file }) : load());
    return source === undefined ? exitCodes.input : define(isFile ? [] : args, source, context);
  },
};

/** Names of CRDs and kinds have neither a slash nor the ending of a file. */
const isPath = (word: string): boolean => word.includes("/") || /\.(?:ya?ml|json)$/i.test(word);

function define(
  words: readonly string[],
  source: LoadedSource,
  { print, fail, failWith, note }: CommandContext,
): ExitCode {
  // The reason has been printed.
  if (source.tables.objects.size === 0 && source.unreadable.length > 0) return exitCodes.input;
  const found = findCrds(source.world, words, source.origin);
  if (!found.ok) return fail(found.message, ...found.hints);
  const texts: string[] = [];
  let code: ExitCode = exitCodes.ok;
  for (const crd of found.crds) {
    const result = sketchDefinition(crd);
    if (result.ok) texts.push(sketchYaml(result.sketch));
    else code = failWith(exitCodes.input, `${crd.ref.name}: ${result.reason}`);
    const known = definitionOf(crd, source);
    if (result.ok && known !== undefined) note(`${result.sketch.kind} has a PolicyDefinition already: ${known}`);
  }
  print.raw(texts.join("---\n"));
  return code;
}

/** The name of the definition that describes the kind, unless it is inferred. */
function definitionOf(crd: KubeObject, { world }: LoadedSource): string | undefined {
  const facts = parseCrd(crd);
  const kind = facts === undefined ? undefined : world.rulebook.byPolicyKind.get(kindId(facts));
  return kind === undefined || kind.definition.inferred ? undefined : kind.definition.name;
}
