import type { Option } from "../args/option.ts";
import { optionsOf } from "../args/option-groups.ts";
import type { CliIo } from "../cli-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { beginning, type Candidate, type Completion, FILES, NOTHING } from "./candidate.ts";
import type { CompleteObjects } from "./complete-objects.ts";
import { positionalSlots, type Slot } from "./positional-slots.ts";

/** The parsed part of a command line before the cursor. */
interface TypedLine {
  readonly args: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The option whose value comes next. */
  readonly pending: Option | undefined;
  /** True after `--`. */
  readonly isEnded: boolean;
}

/** Finds the candidates for the last word. `words` begin after the program's name. */
export async function completeWords(
  words: readonly string[],
  { io, commands }: Pick<CommandContext, "io" | "commands">,
): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const [name, ...rest] = words.slice(0, -1);
  const all = [...commands, { name: "help", summary: "the list of commands, or what one of them does" }].map(
    (entry): Candidate => ({ word: entry.name, help: entry.summary }),
  );
  if (name === undefined) return beginning(current, all);
  if (name === "help") return rest.length === 0 ? beginning(current, all) : NOTHING;
  const entry = commands.find((candidate) => candidate.name === name);
  if (entry === undefined) return NOTHING;
  const { command } = await entry.load();
  const options = optionsOf(command);
  const line = readLine(rest, options);
  if (line.pending !== undefined) return completeValue(line.pending, current, line, io);
  if (line.isEnded || !current.startsWith("-")) return completeArgument(command, current, line, io);
  const [flag = "", value] = splitAtEquals(current);
  const option = options.find((candidate) => `--${candidate.name}` === flag);
  if (value === undefined || option === undefined) return completeOption(current, options, line);
  const { candidates, files } = await completeValue(option, value, line, io);
  return { candidates: candidates.map((one) => ({ ...one, word: `${flag}=${one.word}` })), files };
}

function splitAtEquals(word: string): readonly string[] {
  const equals = word.indexOf("=");
  return equals === -1 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
}

/** Parses leniently: an unfinished line may have mistakes. */
function readLine(words: readonly string[], options: readonly Option[]): TypedLine {
  const args: string[] = [];
  const values = new Map<string, string[]>();
  const add = ({ name }: Option, value: string): void => void values.set(name, [...(values.get(name) ?? []), value]);
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
  return { args, values, pending, isEnded };
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

async function completeValue(option: Option, current: string, line: TypedLine, io: CliIo): Promise<Completion> {
  const { choices, value = "", name } = option;
  if (choices !== undefined)
    return beginning(
      current,
      choices.map((word) => ({ word })),
    );
  if (/\bFILE\b|\bDIR\b/.test(value)) return FILES;
  if (value.startsWith("CODE")) return completeCodes(current);
  if (value === "NAMESPACE") return (await objectsOn(line, io)).namespaces(current);
  if (value === "KIND/NAME") return (await objectsOn(line, io)).targets(current, "any");
  if (value === "KIND") return (await objectsOn(line, io)).policyKinds(current);
  if (value === "RULE") return (await objectsOn(line, io)).rules(current, line.args);
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
  // As in kubectl, names without a kind follow the first kind.
  if (first !== undefined && !first.includes("/")) return (await objectsOn(line, io)).names(current, first);
  const words = slots.next.flatMap((slot): readonly Candidate[] =>
    slot.kind === "word" ? [{ word: slot.word }] : slot.kind === "method" ? METHODS.map((word) => ({ word })) : [],
  );
  const wanted = wantedObjects(slots.next);
  if (wanted === undefined) return beginning(current, words);
  const { candidates } = (await objectsOn(line, io)).targets(current, wanted);
  return { candidates: [...beginning(current, words).candidates, ...candidates], files: false };
}

function wantedObjects(slots: readonly Slot[]): "any" | "policy" | "target" | undefined {
  const [policy, target] = [slots.some(({ kind }) => kind === "policy"), slots.some(({ kind }) => kind === "target")];
  if (policy && target) return "any";
  return policy ? "policy" : target ? "target" : undefined;
}

async function objectsOn({ values }: TypedLine, io: CliIo): Promise<CompleteObjects> {
  const { completeObjects } = await import("./complete-objects.ts");
  const paths = (values.get("filename") ?? []).filter((path) => path !== "-");
  const isEverywhere = values.has("all-namespaces");
  return completeObjects(paths, io, isEverywhere ? undefined : values.get("namespace")?.at(-1));
}
