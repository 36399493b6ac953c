import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import type { Option } from "../args/option.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printCompletion } from "./candidate.ts";
import { completeWords } from "./complete-words.ts";
import { completionScripts, shells } from "./scripts.ts";

const afterOption: Option = {
  name: "after",
  value: "COUNT",
  help: "words: how many of the words stand behind the cursor",
};

export const command: Command = {
  usage: ["bash|zsh|fish", "words [--after COUNT] -- WORD…"],
  description: [
    "Prints a shell script that completes commands, options, and the names of kinds, objects, sections, namespaces and rules in the files that -f names anywhere on the command line, or else in the cluster of the context. Names of a cluster are kept for ten seconds in the user's cache folder.",
    "kubectl calls kubectl_complete-prevail, which is installed beside kubectl-prevail, so kubectl needs no setup. The scripts call the second form: it prints the candidates for the last WORD, " +
      "one on each line, and at the end a number (2: no space after the word, 4: no file names). With --after the last COUNT words stand behind the cursor.",
  ],
  options: [afterOption],
  takes: [],
  outputs: [],
  examples: [
    { what: "In this shell (zsh likewise; fish: prevail completion fish | source)", line: "completion bash" },
    {
      what: "The candidates for the last word",
      line: "completion words -- explain -f examples/bakery httproute/b",
    },
  ],
  run: async (context) => {
    const { args, options, print, fail } = context;
    const [what, ...words] = args;
    if (what === "words") {
      const count = options.value(afterOption.name) ?? "0";
      if (!/^\d+$/.test(count)) return fail(`--after is '${count}'; it is a number of words`);
      const cursor = Math.max(words.length - Number(count), 0);
      print.raw(printCompletion(await completeWords(words.slice(0, cursor), words.slice(cursor), context)));
      return exitCodes.ok;
    }
    const shell = shells.find((name) => name === what);
    if (shell === undefined || words.length > 0) {
      const given = what === undefined ? "no shell given" : `there is no completion for '${args.join(" ")}'`;
      return fail(
        `${given}${what === undefined ? "" : didYouMean(what, shells)}`,
        `Completion is available for ${shells.slice(0, -1).join(", ")} and ${shells.at(-1) ?? ""}.`,
      );
    }
    print.raw(completionScripts[shell]);
    return exitCodes.ok;
  },
};
