import { type Caveat, caveatKey } from "../../core/caveats/caveat.ts";
import type { World } from "../../core/effective/world/world.ts";
import { findKinds, kindWords } from "../../core/explain/kind-words.ts";
import type { Plan } from "../../core/explain/plan/result.ts";
import { withCascades } from "../../core/explain/plan/with-cascades.ts";
import { type ChangedTraffic, countedWhereChanged, trafficChanged } from "../../core/explain/worth/traffic-changed.ts";
import type { Finding } from "../../core/model/finding.ts";
import { formatRef, isNamespace, type ObjectRef } from "../../core/model/refs.ts";
import { formatPosition } from "../../core/model/words/format-position.ts";
import { formatOrigin } from "../../sources/format-origin.ts";
import { type LoadedDocuments, loadDocuments } from "../../sources/load-documents.ts";
import { type LoadedSource, unreadOf } from "../../sources/load-source.ts";
import { parseRedaction, type Redaction, redactionFor, redactOption } from "../args/redaction.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { withProgress } from "../print/create-progress.ts";
import { printData } from "../print/data/print-data.ts";
import { redactFindings } from "../print/redact/redact-findings.ts";
import { scopeProblem } from "../target/check-scope.ts";
import { findRefused, findTarget, namedLike } from "../target/find-targets.ts";
import { gatewayAdminOption } from "../worth/gateway-admin-option.ts";
import { type ReadCounts, readRetryCounts } from "../worth/read-retry-counts.ts";
import { readRetryViews } from "../worth/read-retry-views.ts";
import { printChangedTraffic } from "../worth/text.ts";
import { loadCommitSides } from "./commit-sides.ts";
import { compareSides, withRegex } from "./compare-sides.ts";
import { planJson } from "./json.ts";
import type { PlanDocuments } from "./plan-documents.ts";
import { contradiction, type Upserts, upsertsOf } from "./planned-changes.ts";
import { redactPlan } from "./redact-plan.ts";
import { printPlan } from "./text.ts";
import type { PlanSides } from "./text-context.ts";
import { wholeCommand } from "./whole-command.ts";

export const command: Command = {
  usage: [
    "[-f FILE|DIR|-] --delete KIND/NAME [options]",
    "[-f FILE|DIR|-] --apply FILE|DIR|- [options]",
    "[-f FILE|DIR|-] --against FILE|DIR|- [options]",
    "-f FILE|DIR --git REF [options]",
  ],
  description: [
    "Shows the effect of a change before it is made: which effective values change, on which targets, and the policy that each comes from before and after; which policies take effect on more or fewer paths; " +
      "new conflicts; new and resolved findings. -f names the current objects.",
    "Objects are compared by their effect: an edit that changes no value, no verdict and no finding is not reported. Objects that --apply creates count as the newest; objects that it changes " +
      "keep their creation time. Deleting a namespace deletes the objects in it, and deleting a CRD deletes the objects of its kind.",
    "At the end: the namespaces whose objects change, and whom to ask about it, from the annotation prevail.dev/contact of the Namespace and of its policies; then a summary.",
    "With --git REF the current objects are those that the files of -f had at a commit, and the new ones are those of the working tree: what a branch or a pull request changes. " +
      "REF... is the commit where HEAD left REF. Positions at the commit are written REF:path:line. " +
      "Submodules, Git LFS pointers, links that lead out of the repository and files that git ignores are left out of both sides, with a caveat.",
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
      name: "git",
      value: "REF",
      help: "compare with the files of -f at this commit of their git repository; REF... is the commit where HEAD left REF",
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
    gatewayAdminOption,
    redactOption,
  ],
  takes: ["source", "definitions", "cluster"],
  outputs: ["wide", "markdown", "yaml", "json"],
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
    {
      what: "What do the edits since the last commit change?",
      line: "plan --git HEAD -f examples/bakery",
    },
    {
      what: "As the comment of a pull request",
      line: "plan --delete retrypolicy/friday-fix -o markdown -f examples/bakery",
    },
  ],
  run: async (context) => {
    const { args, options, fail, io } = context;
    const values = (name: string): readonly string[] => options.values(name);
    const request = { apply: values("apply"), against: values("against"), deletes: values("delete") };
    const { apply, against, deletes } = request;
    const [word] = args;
    if (word !== undefined)
      return fail(
        `unexpected argument '${word}': plan takes options only`,
        `To plan a deletion: ${io.program} plan --delete ${word} …`,
      );
    const revision = options.value("git");
    if (revision !== undefined && apply.length + against.length + deletes.length > 0)
      return fail("--git compares with the working tree: it cannot be combined with --apply, --delete or --against");
    if (revision === undefined && apply.length + against.length + deletes.length === 0)
      return fail("no change given: use --delete KIND/NAME, --apply FILE, --against DIR or --git REF", context.example);
    if (against.length > 0 && apply.length + deletes.length > 0)
      return fail("--against is the complete new state: it cannot be combined with --apply or --delete");
    if ([...values("filename"), ...apply, ...against].filter((path) => path === "-").length > 1)
      return fail("standard input (-) can be read only once: as -f, --apply or --against");
    const counts = await readRetryCounts(context);
    if (typeof counts === "string") return fail(counts);
    const input =
      revision === undefined ? await loadFileSides(request, context) : await loadCommitSides(revision, context);
    return input === undefined ? exitCodes.failed : plan(input, deletes, counts, context);
  },
};

interface PlanRequest {
  readonly apply: readonly string[];
  readonly against: readonly string[];
  readonly deletes: readonly string[];
}

async function loadFileSides(
  { apply, against }: PlanRequest,
  context: CommandContext,
): Promise<PlanDocuments | undefined> {
  const { io, options, load } = context;
  const current = await load();
  if (current === undefined) return undefined;
  const extent = against.length > 0 ? "Whole" : "Part";
  const paths = extent === "Whole" ? against : apply;
  const defaultNamespace = options.value("default-namespace");
  const documents = await withProgress(io, (onFile) =>
    loadDocuments(paths, io.fileSystem, { defaultNamespace, onFile }),
  );
  return { current, documents, nonEmpty: paths, extent };
}

async function plan(
  input: PlanDocuments,
  deletes: readonly string[],
  given: ReadCounts | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const { fail, failWith, options, print, output } = context;
  const { documents, nonEmpty, extent } = input;
  const isWhole = extent === "Whole";
  const source = await withRegex(input.current, documents);
  const { world } = source;
  const upserts = upsertsOf(world, documents, isWhole ? "Kept" : "Reset");
  for (const problem of upserts.problems.slice(0, 10)) failWith(exitCodes.input, problemText(problem));
  if (nonEmpty.length > 0 && upserts.byId.size === 0)
    return upserts.problems.length > 0
      ? exitCodes.input
      : failWith(exitCodes.input, `there are no objects in ${formatOrigin(nonEmpty)}`);
  const deleted = isWhole ? missingFrom(world, upserts) : findDeleted(world, deletes, context);
  if (deleted === undefined) return exitCodes.failed;
  const clash = contradiction(upserts, deleted);
  if (clash !== undefined) return fail(clash);
  const parsed = parseRedaction(options);
  if (!parsed.ok) return fail(parsed.message);
  const { planned, sides } = await compareSides(source, documents, upserts, deleted);
  const redaction = redactionFor(parsed.redaction, sides.before.world, sides.after.world);
  const scope = { namespace: options.value("namespace"), selector: undefined };
  const problem = scopeProblem(sides.after.world, scope);
  if (problem !== undefined && scopeProblem(sides.before.world, scope) !== undefined)
    return fail(problem.message, problem.hint);
  const shown = redactPlan(planned, sides, redaction);
  const { ends, gateways } = countedWhereChanged(planned);
  const counts = given ?? (await readRetryViews(context, { refs: ends, gateways, refusals: "Caveat" }));
  const known = planCaveats(source, documents, sides, redaction);
  const caveats = [...known, ...(counts?.caveats ?? [])];
  const retries = changedTraffic(planned, counts);
  if (output === "json" || output === "yaml") {
    printData(print, output, planJson(shown, { sides, redaction, caveats, retries }));
  } else if (output === "markdown") {
    const problems = redactFindings([...source.unreadable, ...upserts.problems], world, redaction);
    const about = { revision: options.value("git"), wholeCommand: wholeCommand(context) };
    const { planMarkdown } = await import("./markdown.ts");
    print.raw(planMarkdown(shown, { sides, redaction, caveats, problems, retries, ...about }));
  } else {
    printPlan(shown, { print, sides, redaction, caveats: known, wide: output === "wide" });
    if (retries !== undefined) printChangedTraffic(retries, print);
    printCaveats(caveats, print);
  }
  if (upserts.problems.length > 0) return exitCodes.input;
  return exitCodeWith(caveats, options, options.has("exit-code") ? changesCode(planned, known) : exitCodes.ok);
}

/** Undefined: not asked for, not known, or the plan changes no retries. */
function changedTraffic(planned: Plan, counts: ReadCounts | undefined): ChangedTraffic | undefined {
  const report = counts?.report;
  const backends = report === undefined ? undefined : trafficChanged(planned, report.counts);
  return report === undefined || backends === undefined ? undefined : { backends, windowMs: report.windowMs };
}

/** The caveats of both sides, each once. */
function planCaveats(
  source: LoadedSource,
  loaded: LoadedDocuments,
  { before, after }: PlanSides,
  redaction: Redaction,
): readonly Caveat[] {
  const question = { about: "Input" } as const;
  const now = answerCaveats({ ...before, unread: source.unread }, question, { redaction });
  const next = answerCaveats({ ...after, unread: unreadOf(loaded) }, question, { redaction });
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
