import type { Option } from "../args/option.ts";
import { optionsOf, sharedOptions } from "../args/option-groups.ts";
import { splitList } from "../args/parse-arguments.ts";
import type { CliIo } from "../cli-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { findCommand } from "../find-command.ts";
import { beginning, type Candidate, type Completion, FILES, NOTHING } from "./candidate.ts";
import type { CompleteObjects } from "./complete-objects.ts";
import { completePaths } from "./complete-paths.ts";
import { positionalSlots, type Slot } from "./positional-slots.ts";

/** The parsed part of a command line before the cursor. */
interface TypedLine {
  readonly args: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The option whose value comes next. */
  readonly pending: Option | undefined;
  /** True after `--`. */
  readonly isEnded: boolean;
  /** True if the command reads a cluster where no file is given. */
  readonly readsCluster: boolean;
}

/** Finds the candidates for the last word. `words` begin after the program's name; `after` are the words behind the cursor. */
export async function completeWords(
  words: readonly string[],
  after: readonly string[],
  { io, commands }: Pick<CommandContext, "io" | "commands">,
): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const split = await findCommand(before, commands);
  if (split.found === "unknown option") return NOTHING;
  const all = [...commands, { name: "help", summary: "the list of commands, or what one of them does" }].map(
    (entry): Candidate => ({ word: entry.name, help: entry.summary }),
  );
  if (split.found === "nothing") {
    const line = readLine(before, after, sharedOptions);
    const option = await completeAnOption(current, sharedOptions, line, io);
    return option ?? beginning(current, all);
  }
  const { name, rest } = split;
  if (name === "help") {
    const { args } = readLine(rest, [], sharedOptions);
    return args.length === 0 ? beginning(current, all) : NOTHING;
  }
  const entry = commands.find((candidate) => candidate.name === name);
  if (entry === undefined) return NOTHING;
  const { command } = await entry.load();
  const options = optionsOf(command);
  const line = readLine(rest, after, options);
  const option = await completeAnOption(current, options, line, io);
  return option ?? completeArgument(command, current, line, io);
}

/** Completes an option or its value. Undefined: the word is neither. */
async function completeAnOption(
  current: string,
  options: readonly Option[],
  line: TypedLine,
  io: CliIo,
): Promise<Completion | undefined> {
  if (line.pending !== undefined) return completeValue(line.pending, "", current, line, io);
  if (line.isEnded || !current.startsWith("-")) return undefined;
  // `--output=j`, `-o=j`, `-oj`
  const { option, value } = readOption(current, options);
  if (option?.value === undefined || value === undefined) return completeOption(current, options, line);
  return completeValue(option, current.slice(0, current.length - value.length), value, line, io);
}

function splitAtEquals(word: string): readonly string[] {
  const equals = word.indexOf("=");
  return equals === -1 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
}

/** Parses leniently: an unfinished line may have mistakes. Behind the cursor only options count. */
function readLine(before: readonly string[], after: readonly string[], options: readonly Option[]): TypedLine {
  const values = new Map<string, string[]>();
  const line = readInto(values, before, options);
  if (!line.isEnded) readInto(values, after, options);
  return { ...line, values, readsCluster: options.some(({ name }) => name === "context") };
}

function readInto(
  values: Map<string, string[]>,
  words: readonly string[],
  options: readonly Option[],
): Omit<TypedLine, "values" | "readsCluster"> {
  const args: string[] = [];
  const add = ({ name, list }: Option, value: string): void =>
    void values.set(name, [...(values.get(name) ?? []), ...(list ? splitList(value) : [value])]);
  let pending: Option | undefined;
  let isEnded = false;
  for (const word of words) {
    if (pending !== undefined) {
      add(pending, word);
      pending = undefined;
    } else if (isEnded || !word.startsWith("-") || word === "-") {
      args.push(word);
    } else if (word === "--") {
      isEnded = true;
    } else {
      const { option, value } = readOption(word, options);
      if (option === undefined) continue;
      if (option.value === undefined || value !== undefined) add(option, value ?? "true");
      else pending = option;
    }
  }
  return { args, pending, isEnded };
}

function readOption(
  word: string,
  options: readonly Option[],
): { readonly option: Option | undefined; readonly value: string | undefined } {
  if (word.startsWith("--")) {
    const [flag = "", value] = splitAtEquals(word);
    return { option: options.find(({ name }) => `--${name}` === flag), value };
  }
  // Short flags can be combined, and the last of them may take a value.
  for (let at = 1; at < word.length; at++) {
    const option = options.find(({ short }) => short === word.charAt(at));
    if (option === undefined || option.value === undefined) continue;
    const rest = word.slice(at + 1);
    return { option, value: rest === "" ? undefined : rest.replace(/^=/, "") };
  }
  return { option: options.find(({ short }) => short === word.charAt(1)), value: undefined };
}

function completeOption(current: string, options: readonly Option[], { values }: TypedLine): Completion {
  const open = options.filter(
    ({ name, repeatable, list, hidden }) => !hidden && (repeatable || list || !values.has(name)),
  );
  const long = open.map(({ name, help }): Candidate => ({ word: `--${name}`, help }));
  const short = open.flatMap((option): readonly Candidate[] =>
    option.short === undefined ? [] : [{ word: `-${option.short}`, help: option.help }],
  );
  return beginning(current, current.startsWith("--") ? long : [...long, ...short]);
}

/** Completes the value of an option behind `lead`, which is in the same word: `--output=`. In a list the last item is completed. */
async function completeValue(
  option: Option,
  lead: string,
  value: string,
  line: TypedLine,
  io: CliIo,
): Promise<Completion> {
  const item = option.list ? value.slice(value.lastIndexOf(",") + 1) : value;
  const fixed = `${lead}${value.slice(0, value.length - item.length)}`;
  const { candidates, files } = await completeItem(option, item, line, io);
  // The shell completes names of files that are a word, or behind `--filename=`; this program what it would not.
  const isOwn = files && fixed !== "" && !/^--[\w-]+=$/.test(fixed);
  const found = isOwn ? await completePaths(item, io) : candidates;
  return { candidates: found.map((one) => ({ ...one, word: `${fixed}${one.word}` })), files: files && !isOwn };
}

async function completeItem(option: Option, current: string, line: TypedLine, io: CliIo): Promise<Completion> {
  const { choices, textChoices = [], value = "", name } = option;
  if (choices !== undefined && choices.length > 0)
    return beginning(
      current,
      [...choices, ...textChoices.map((choice) => `${choice}=`)].map((word) => ({ word })),
    );
  if (/\bFILE\b|\bDIR\b/.test(value)) return FILES;
  if (value.startsWith("CODE")) return completeCodes(current);
  if (value === "NAMESPACE") return (await objectsOn(line, io)).namespaces(current);
  if (value === "KIND/NAME") return (await objectsOn(line, io)).targets(current, "any");
  if (value === "KIND") return (await objectsOn(line, io)).policyKinds(current);
  if (value === "RULE") return (await objectsOn(line, io)).rules(current, line.args);
  if (name === "context" || name === "cluster" || name === "user") {
    const { completeConfigNames } = await import("./complete-live.ts");
    return completeConfigNames(name, current, line.values, io);
  }
  // `--gateway` has the name of a kind: its value is an object of that kind.
  return value.includes("NAME") ? (await objectsOn(line, io)).names(current, name) : NOTHING;
}

async function completeCodes(current: string): Promise<Completion> {
  const { findingCodes } = await import("../../core/model/finding-codes.ts");
  const codes = Object.entries(findingCodes).map(([word, { title }]): Candidate => ({ word, help: title }));
  return beginning(current, codes);
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

async function completeArgument(command: Command, current: string, line: TypedLine, io: CliIo): Promise<Completion> {
  const { args } = line;
  const slots = positionalSlots(command.usage, args);
  const [first, name] = args.slice(slots.targetsFrom ?? args.length);
  const isSetting = slots.next.some(({ kind }) => kind === "setting");
  if (isSetting && (first?.includes("/") === true || name !== undefined))
    return (await objectsOn(line, io)).settings(current, line.values.get("policy")?.at(-1));
  // Names without a kind follow the first kind, as in kubectl.
  if (first !== undefined && !first.includes("/")) return (await objectsOn(line, io)).names(current, first);
  const words = slots.next.flatMap((slot): readonly Candidate[] =>
    slot.kind === "word" ? [{ word: slot.word }] : slot.kind === "method" ? METHODS.map((word) => ({ word })) : [],
  );
  if (slots.next.some(({ kind }) => kind === "policy kind") && words.length === 0)
    return (await objectsOn(line, io)).policyKinds(current);
  const wanted = wantedObjects(slots.next);
  if (wanted === undefined) return beginning(current, words);
  const { candidates } = await (await objectsOn(line, io)).targets(current, wanted);
  return { candidates: [...beginning(current, words).candidates, ...candidates], files: false };
}

function wantedObjects(slots: readonly Slot[]): "any" | "policy" | "target" | undefined {
  const has = (wanted: Slot["kind"]): boolean => slots.some(({ kind }) => kind === wanted);
  const [policy, target] = [has("policy"), has("target")];
  if ((policy && target) || has("object")) return "any";
  return policy ? "policy" : target ? "target" : undefined;
}

async function objectsOn({ values, readsCluster }: TypedLine, io: CliIo): Promise<CompleteObjects> {
  const { completeObjects } = await import("./complete-objects.ts");
  const paths = (values.get("filename") ?? []).filter((path) => path !== "-");
  if (readsCluster && !values.has("filename")) {
    const { completeLive } = await import("./complete-live.ts");
    const live = await completeLive(values, io);
    if (live !== undefined) return live;
  }
  const isEverywhere = values.has("all-namespaces");
  return completeObjects(paths, io, isEverywhere ? undefined : values.get("namespace")?.at(-1));
}
