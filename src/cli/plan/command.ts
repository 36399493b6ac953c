import { apply } from "../../core/apply.ts";
import { type Caveat, caveatKey } from "../../core/caveats/caveat.ts";
import { checkWorld } from "../../core/check/check-world.ts";
import { needsCel } from "../../core/check/needs-cel.ts";
import { findingsOf } from "../../core/effective/findings/findings-of.ts";
import { objectChanges } from "../../core/effective/update/object-changes.ts";
import type { World } from "../../core/effective/world/world.ts";
import { evaluate } from "../../core/evaluate.ts";
import { type Evaluation, optionsOf, worldOf } from "../../core/evaluation.ts";
import { findKinds, kindWords } from "../../core/explain/kind-words.ts";
import { planChanges } from "../../core/explain/plan/plan-changes.ts";
import type { Plan } from "../../core/explain/plan/result.ts";
import type { EvaluateCondition } from "../../core/model/cel.ts";
import type { Finding } from "../../core/model/finding.ts";
import { formatRef, type ObjectRef, objectId } from "../../core/model/refs.ts";
import { Snapshot } from "../../core/model/snapshot.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import { formatOrigin } from "../../sources/format-origin.ts";
import { hasConditions, loadCel } from "../../sources/load-cel.ts";
import { type LoadedDocuments, loadDocuments } from "../../sources/load-documents.ts";
import { loadRegexFor } from "../../sources/load-regex.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { parseRedaction, type Redaction, redactOption } from "../args/redaction.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { withProgress } from "../print/create-progress.ts";
import { formatPosition } from "../print/format-position.ts";
import { printData } from "../print/print-data.ts";
import { findRefused, findTarget, namedLike } from "../target/find-targets.ts";

import { planJson } from "./json.ts";
import { contradiction, isNamespace, toChanges, type Upserts, upsertsOf, withCascades } from "./planned-changes.ts";
import { redactPlan } from "./redact-plan.ts";
import { printPlan } from "./text.ts";
import type { PlanSides } from "./text-context.ts";

export const command: Command = {
  usage: [
    "-f FILE|DIR|- --delete KIND/NAME [options]",
    "-f FILE|DIR|- --apply FILE|DIR|- [options]",
    "-f FILE|DIR|- --against FILE|DIR|- [options]",
  ],
  description: [
    "Shows the effect of a change before it is made: which effective values change, on which targets, and the policy that each comes from before and after; which policies take effect on more or fewer paths; " +
      "new conflicts; new and resolved findings. -f names the current objects.",
    "Objects are compared by their effect: an edit that changes no value, no verdict and no finding is not reported. Objects that --apply creates count as the newest; objects that it changes " +
      "keep their creation time. Deleting a namespace deletes the objects in it, and deleting a CRD deletes the objects of its kind.",
    "At the end: the namespaces whose objects change, and whom to ask about it, from the annotation prevail.dev/contact of the Namespace and of its policies; then a summary.",
  ],
  options: [
    {
      name: "apply",
      value: "FILE|DIR|-",
      repeatable: true,
      help: "create or change the objects in a file or directory (repeatable)",
    },
    { name: "delete", value: "KIND/NAME", repeatable: true, help: "delete an object (repeatable)" },
    {
      name: "against",
      value: "FILE|DIR|-",
      repeatable: true,
      help: "compare with these files as the complete new state: objects that are not in them are deleted (repeatable)",
    },
    {
      name: "namespace",
      short: "n",
      value: "NAMESPACE",
      help: "the namespace of the objects that --delete names (default: any)",
    },
    {
      name: "exit-code",
      help: "exit with 2 if something would change, with 0 if nothing would, and with 1 if that is not known",
    },
    redactOption,
  ],
  takes: ["source"],
  outputs: ["wide", "yaml", "json"],
  examples: [
    {
      what: "What changes if friday-fix is deleted?",
      line: "plan --delete retrypolicy/friday-fix -f examples/bakery",
    },
    {
      what: "What changes if a namespace is deleted?",
      line: "plan --delete namespace/shop -f examples/bakery",
    },
    {
      what: "What changes if the files checked out here are applied? (For a pipeline: exits with 2 if something changes)",
      line: "plan --against examples/bakery --exit-code -f examples/bakery",
    },
  ],
  run: async (context) => {
    const { args, options, load, fail, io } = context;
    const values = (name: string): readonly string[] => options.values(name);
    const [apply, against, deletes] = [values("apply"), values("against"), values("delete")];
    const [word] = args;
    if (word !== undefined)
      return fail(
        `unexpected argument '${word}': plan takes options only`,
        `To plan a deletion: ${io.program} plan --delete ${word} …`,
      );
    if (apply.length + against.length + deletes.length === 0)
      return fail("no change given: use --delete KIND/NAME, --apply FILE or --against DIR", context.example);
    if (against.length > 0 && apply.length + deletes.length > 0)
      return fail("--against is the complete new state: it cannot be combined with --apply or --delete");
    if ([...values("filename"), ...apply, ...against].filter((path) => path === "-").length > 1)
      return fail("standard input (-) can be read only once: as -f, --apply or --against");
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    return plan(source, { apply, against, deletes }, context);
  },
};

interface PlanRequest {
  readonly apply: readonly string[];
  readonly against: readonly string[];
  readonly deletes: readonly string[];
}

async function plan(current: LoadedSource, request: PlanRequest, context: CommandContext): Promise<ExitCode> {
  const { fail, io, options, print, output } = context;
  const isWhole = request.against.length > 0;
  const paths = isWhole ? request.against : request.apply;
  const defaultNamespace = options.value("default-namespace");
  const loaded = await withProgress(io, (onFile) => loadDocuments(paths, io.fileSystem, { defaultNamespace, onFile }));
  const source = await withRegex(current, loaded);
  const { world } = source;
  const upserts = upsertsOf(world, loaded, isWhole ? "Kept" : "Reset");
  for (const problem of upserts.problems.slice(0, 10)) fail(problemText(problem));
  if (paths.length > 0 && upserts.byId.size === 0)
    return upserts.problems.length > 0 ? exitCodes.failed : fail(`there are no objects in ${formatOrigin(paths)}`);
  const deleted = isWhole ? missingFrom(world, upserts) : findDeleted(world, request.deletes, context);
  if (deleted === undefined) return exitCodes.failed;
  const clash = contradiction(upserts, deleted);
  if (clash !== undefined) return fail(clash);
  const redaction = parseRedaction(options);
  if (!redaction.ok) return fail(redaction.message);
  const { planned, sides } = await compare(source, loaded, upserts, deleted);
  const shown = redactPlan(planned, sides, redaction.redaction);
  const caveats = planCaveats(source, loaded, sides, deleted, redaction.redaction);
  if (output === "json" || output === "yaml") {
    printData(print, output, planJson(shown, { sides, redaction: redaction.redaction, caveats }));
  } else {
    printPlan(shown, { print, sides, redaction: redaction.redaction, caveats, wide: output === "wide" });
    printCaveats(caveats, print);
  }
  if (upserts.problems.length > 0 || source.unreadable.length > 0) return exitCodes.failed;
  return exitCodeWith(caveats, options, options.has("exit-code") ? changesCode(planned, caveats) : exitCodes.ok);
}

/** The caveats of both sides, each once. */
function planCaveats(
  source: LoadedSource,
  loaded: LoadedDocuments,
  { before, after }: PlanSides,
  deleted: readonly ObjectRef[],
  redaction: Redaction,
): readonly Caveat[] {
  const question = { about: "Input" } as const;
  const unread = loaded.findings.filter(({ severity }) => severity === "error");
  const now = answerCaveats({ ...before, unread: source.unread }, question, { redaction });
  const next = answerCaveats({ ...after, unread }, question, { redaction, deleted: new Set(deleted.map(objectId)) });
  const known = new Set(now.map(caveatKey));
  return [...now, ...next.filter((caveat) => !known.has(caveatKey(caveat)))];
}

/** Beside a caveat it is not known that nothing changes. */
function changesCode(planned: Plan, caveats: readonly Caveat[]): ExitCode {
  if (hasChanges(planned)) return exitCodes.differs;
  return caveats.length > 0 ? exitCodes.failed : exitCodes.ok;
}

/** The message of a finding, with its position. A path that cannot be read has no line. */
function problemText({ source, message, code }: Finding): string {
  if (source === undefined) return message;
  return `${code.startsWith("Path") ? source.file : formatPosition(source)}: ${message}`;
}

/** An object that remains implied counts as a change: the files alone do not show whether it is deleted. */
const hasChanges = ({ kinds, policies, findings, stillImplied }: Plan): boolean =>
  kinds.length + policies.length + findings.added.length + findings.removed.length + stillImplied.length > 0;

function missingFrom(world: World, { byId, objects, problems }: Upserts): readonly ObjectRef[] {
  // An object whose new version is refused keeps its current version.
  const refused = new Set(problems.map(({ object }) => object));
  // The new files may use a namespace without defining it.
  const inUse = new Set([...objects.values()].map(({ ref }) => ref.namespace));
  const isInUse = (ref: ObjectRef): boolean => isNamespace(ref) && inUse.has(ref.name);
  const gone: ObjectRef[] = [];
  world.objects.forEach(({ ref, id }) => {
    if (!byId.has(id) && !refused.has(id) && !isInUse(ref)) gone.push(ref);
  });
  return gone;
}

/** Undefined if a word names no object. The reason has then been printed. */
function findDeleted(
  world: World,
  words: readonly string[],
  { options, fail, io }: CommandContext,
): readonly ObjectRef[] | undefined {
  const found: ObjectRef[] = [];
  for (const word of words) {
    if (!word.includes("/")) {
      fail(`--delete ${word} is not written KIND/NAME`, ...namedLike(world, word));
      return undefined;
    }
    const search = findTarget(world, [word], { namespace: options.value("namespace"), selector: undefined });
    const refused = search.ok ? undefined : refusedNamed(world, word, options.value("namespace"));
    if (refused !== undefined) {
      found.push(refused);
      continue;
    }
    if (!search.ok) {
      fail(`--delete: ${search.message}`, ...search.hints);
      return undefined;
    }
    const { ref, sectionName, object } = search.target;
    if (sectionName !== undefined) {
      fail(
        `--delete ${word}: a section cannot be deleted on its own`,
        `Change ${formatRef(ref)} and plan that: ${io.program} plan --apply FILE …`,
      );
      return undefined;
    }
    if (object === undefined && !isNamespace(ref)) {
      fail(`--delete ${word}: ${formatRef(ref)} is referenced by other objects, but no document defines it`);
      return undefined;
    }
    found.push(ref);
  }
  return withCascades(world, found);
}

/** The refused object with this name. An object that the API server would refuse can be deleted, too. */
function refusedNamed(world: World, word: string, namespace: string | undefined): ObjectRef | undefined {
  const [kind = "", ...rest] = word.split("/");
  const [name = "", inNamespace = namespace] = rest.toReversed();
  return findRefused(world, findKinds(kindWords(world), kind), name, inNamespace)?.ref;
}

async function compare(
  source: LoadedSource,
  loaded: LoadedDocuments,
  upserts: Upserts,
  deleted: readonly ObjectRef[],
): Promise<{ readonly planned: Plan; readonly sides: PlanSides }> {
  const evaluation = await withConditions(source, upserts);
  const changes = toChanges(upserts, deleted);
  const { evaluation: next, delta } = apply(evaluation, changes);
  const [before, after] = [worldOf(evaluation), worldOf(next)];
  const locate: LoadedSource["locate"] = (id, pointer) => {
    const object = after.objects.get(id);
    if (object === undefined) return undefined;
    if (object.raw === before.objects.get(id)?.raw) return source.locate(id, pointer);
    if (pointer === undefined || pointer === "") return object.source;
    return loaded.locate(upserts.origins.get(object.raw) ?? object.raw, pointer) ?? object.source;
  };
  const planned = planChanges({
    before,
    after,
    delta,
    changes: objectChanges(before, changes).changes,
    findingsOf: await weightyFindings(before, after),
  });
  return { planned, sides: { before: { ...source, world: before }, after: { world: after, locate } } };
}

/** Verdicts report the first two. Status differs until a controller has written the new one. */
const REPORTED_ELSEWHERE: ReadonlySet<string> = new Set(["NeverTakesEffect", "ReachesNothing", "StatusDiffers"]);

/** The findings that `check` shows by default. */
async function weightyFindings(...worlds: readonly World[]): Promise<(world: World) => readonly Finding[]> {
  const cel: EvaluateCondition = worlds.some(needsCel) ? await loadCel() : noConditions;
  const isWeighty = ({ severity, code }: Finding): boolean => severity !== "info" && !REPORTED_ELSEWHERE.has(code);
  return (world) => [...findingsOf(world), ...checkWorld(world, { cel })].filter(isWeighty);
}

const noConditions: EvaluateCondition = () => ({ state: "error", message: "CEL was not loaded" });

/** Loads regular expressions if only the new objects have CRDs: the current evaluation has none for their patterns. */
async function withRegex(source: LoadedSource, { documents }: LoadedDocuments): Promise<LoadedSource> {
  const { tables, evaluation } = source;
  const tools = await loadRegexFor(documents.map(({ value }) => value));
  if (tools.matchRegex === undefined || tables.judging.matchRegex !== undefined) return source;
  const equipped = { ...tables, judging: { ...tables.judging, ...tools } };
  const snapshot = new Snapshot(equipped);
  const { evaluateCondition: cel } = optionsOf(evaluation);
  const next = evaluate(snapshot, { definitions: builtInDefinitions(), cel });
  return { ...source, snapshot, tables: equipped, evaluation: next, world: worldOf(next) };
}

/** Loads CEL if only the new objects have conditions: the current evaluation has no evaluator for them. */
async function withConditions({ evaluation, snapshot, tables }: LoadedSource, upserts: Upserts): Promise<Evaluation> {
  if (hasConditions(tables) || !hasConditions(upserts)) return evaluation;
  return evaluate(snapshot, { definitions: builtInDefinitions(), cel: await loadCel() });
}
