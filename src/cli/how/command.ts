import { howTo } from "../../core/explain/how/how-to.ts";
import type { How, WantedSetting } from "../../core/explain/how/result.ts";
import { findKinds, kindWords } from "../../core/explain/kind-words.ts";
import { trying } from "../../core/how.ts";
import { type GroupKind, kindId } from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { redactOption } from "../args/redaction.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
import { formatTargetName } from "../target/find-targets.ts";
import { type LoadedTarget, loadTarget } from "../target/load-target.ts";
import { howJson } from "./json.ts";
import { printManifest } from "./manifest.ts";
import { parseSettings } from "./parse-settings.ts";
import { redactHow } from "./redact-how.ts";
import { printHow } from "./text.ts";

const LIMIT = 3;

export const command: Command = {
  usage: ["TARGET PATH=VALUE… [-f FILE|DIR|-] [options]"],
  description: [
    "Finds the changes that make settings take effect on every path of a target: the object's own field; a policy on the target, above or below it, as a default or an override, with a name for a rule that has none where that makes the reach smaller; " +
      "a condition, other targets or a default instead of an override for the policy whose setting takes effect now, another value in it, or its deletion. " +
      "Each change was compared as by plan, and is printed with what it changes besides, the smallest reach first, and as manifests for kubectl apply. Nothing is applied.",
    "PATH=VALUE is a setting as explain prints it and a value as in a manifest: retry.attempts=0, retry.codes='[502, 503]'. PATH- means that the setting should not be set. " +
      "A map stands for a setting for each of its keys, unless the policy kind takes it as one value.",
    "Changes in other namespaces need rights there: the answer names the namespaces, and whom to ask, from the annotation prevail.dev/contact of the Namespace and of the policy. " +
      "If no change in the namespace of the target achieves it, the answer says which policies forbid it. -o yaml prints the manifests of the first change alone.",
  ],
  options: [
    { name: "policy", value: "KIND", help: "only settings of this policy kind (default: every kind that has them)" },
    { name: "limit", value: "N", help: `print at most N changes for each policy kind (default: ${LIMIT})` },
    { name: "all", help: "print all changes" },
    redactOption,
  ],
  takes: ["scope", "source", "definitions", "cluster"],
  outputs: ["yaml", "json"],
  examples: [
    {
      what: "An order must never be sent twice",
      line: "how httproute/baker#order retry.attempts=0 -f examples/bakery",
    },
    {
      what: "Two settings at once, all changes",
      line: "how httproute/counter retry.attempts=1 timeouts.request=5s --all -f examples/bakery",
    },
    {
      what: "The manifest of the smallest change, for kubectl apply -f -",
      line: "how httproute/counter limits.per-client.requests=50 -o yaml -f examples/bakery",
    },
    { what: "Without a timeout", line: "how grpcroute/oven timeouts.backendRequest- -f examples/bakery" },
  ],
  run: async (context) => {
    const { args, fail, example } = context;
    const parsed = parseSettings(args);
    if (!parsed.ok) return fail(parsed.message, ...parsed.hints);
    if (parsed.words.length > 0 && parsed.wanted.length === 0)
      return fail("no setting given: name one as PATH=VALUE, or as PATH- if it should not be set", example);
    const limit = parseLimit(context);
    if (limit === undefined) return exitCodes.failed;
    const target = await loadTarget(
      { ...context, args: parsed.words },
      "no target given: name one as KIND/NAME, and a setting as PATH=VALUE",
    );
    return target === undefined ? exitCodes.failed : how(target, parsed.wanted, limit, context);
  },
};

/** Undefined after a printed error. */
function parseLimit({ options, fail }: CommandContext): number | undefined {
  if (options.has("all")) return Number.POSITIVE_INFINITY;
  const text = options.value("limit");
  if (text === undefined) return LIMIT;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit > 0) return limit;
  fail(`--limit is '${text}'; it can be a whole number of at least 1`);
  return undefined;
}

async function how(
  { target, source, redaction }: LoadedTarget,
  wanted: readonly WantedSetting[],
  limit: number,
  context: CommandContext,
): Promise<ExitCode> {
  const { fail, io, options, output, print, errorPrint, note } = context;
  if (source.world.rulebook.byPolicyKind.has(kindId(target.ref)))
    return fail(
      `${formatTargetName(target, redaction.kindName)} is a policy; how finds changes for an object that policies take effect on`,
      `To see where the policy takes effect: ${io.program} reach ${formatTargetName(target, redaction.kindName)}`,
    );
  const kind = findPolicyKind(source, context);
  if (kind === "unknown") return exitCodes.failed;
  const { evaluation, world } = source;
  const section = target.sectionName === undefined ? {} : { sectionName: target.sectionName };
  const answer = howTo(world, { target: { id: target.id, ...section }, wanted, policyKind: kind }, trying(evaluation));
  const { problem } = answer;
  if (problem !== undefined) return fail(problem.message, ...problem.hints);
  const shown = redactHow(answer, source.world, redaction);
  const caveats = answerCaveats(source, { about: "Objects", objects: [target.id] }, { redaction });
  const facts = { source, redaction, caveats };
  if (output === "json") printData(print, "json", howJson(shown, { ...facts, limit }));
  else if (output === "yaml") printManifest(shown, { print, note });
  else printHow(shown, { print, ...facts, limit, program: io.program });
  if (output !== "json") printCaveats(caveats, output === "yaml" ? errorPrint : print);
  return exitCodeWith(caveats, options, isAchievable(answer) ? exitCodes.ok : exitCodes.differs);
}

const isAchievable = ({ kinds }: How): boolean => kinds.some(({ state }) => state !== "Nothing");

/** The policy kind that `--policy` names; undefined if it is not given, `unknown` after a printed error. */
function findPolicyKind({ world }: LoadedSource, { options, fail }: CommandContext): GroupKind | undefined | "unknown" {
  const word = options.value("policy");
  if (word === undefined) return undefined;
  const words = kindWords(world).filter((kind) => world.rulebook.byPolicyKind.has(kindId(kind)));
  const [kind, ...others] = findKinds(words, word);
  if (kind !== undefined && others.length === 0) return kind;
  const names = words.map((one) => one.kind);
  if (kind === undefined)
    fail(
      `--policy ${word}: unknown policy kind${didYouMean(word, [...names, ...words.flatMap((one) => one.words)])}`,
      `There are: ${names.join(", ")}`,
    );
  else
    fail(
      `--policy ${word} matches ${others.length + 1} kinds; add the group:`,
      ...[kind, ...others].map((one) => `  ${one.kind.toLowerCase()}.${one.group}`),
    );
  return "unknown";
}
