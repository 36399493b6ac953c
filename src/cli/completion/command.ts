import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printCompletion } from "./candidate.ts";
import { completeWords } from "./complete-words.ts";
import { completionScripts, shells } from "./scripts.ts";

export const command: Command = {
  usage: ["bash|zsh|fish", "words -- WORD…"],
  description: [
    "Prints a script that completes commands, options, and the names of kinds, objects, sections, namespaces and rules in the files that -f names on the line.",
    "kubectl asks kubectl_complete-prevail, which is installed beside kubectl-prevail: nothing has to be set up. The second form is what the scripts ask: what could stand in place of the last WORD, " +
      "one on each line, and at the end a number (2: no space behind it, 4: no names of files).",
  ],
  options: [],
  takes: [],
  outputs: [],
  examples: [
    { what: "In this shell (zsh likewise; fish: prevail completion fish | source)", line: "completion bash" },
    {
      what: "What could follow?",
      line: "completion words -- explain -f examples/bakery httproute/b",
    },
  ],
  run: async (context) => {
    const { args, print, fail } = context;
    const [what, ...words] = args;
    if (what === "words") {
      print.raw(printCompletion(await completeWords(words, context)));
      return exitCodes.ok;
    }
    const shell = shells.find((name) => name === what);
    if (shell === undefined || words.length > 0) {
      const given =
        what === undefined ? "completion for which shell?" : `there is no completion for '${args.join(" ")}'`;
      return fail(
        `${given}${what === undefined ? "" : didYouMean(what, shells)}`,
        `There is one for ${shells.slice(0, -1).join(", ")} and ${shells.at(-1) ?? ""}.`,
      );
    }
    print.raw(completionScripts[shell]);
    return exitCodes.ok;
  },
};
