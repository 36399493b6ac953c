import { capital } from "../../core/model/words/capital.ts";
import type { Option } from "../args/option.ts";
import { optionsOf } from "../args/option-groups.ts";
import type { Command } from "../command.ts";
import { type CommandEntry, commandTable } from "../command-table.ts";
import { exitCodeTable } from "../exit-codes.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { glued, styled } from "../print/terminal/styled-text.ts";

export function printOverview(print: Printer, program: string): void {
  print.paragraph(
    {},
    "Prevail shows which policy settings take effect on every object of a Gateway API cluster, where each setting comes from, and what a change would do.",
  );
  print.line();
  print.line(styled("Usage", "bold"));
  print.line(`  ${program} COMMAND [TARGET…] [-f FILE|DIR|-] [options]`);
  print.paragraph(
    { indent: 2, hanging: 0 },
    "Without -f, questions are about the cluster of the current kubeconfig context.",
  );
  print.line();
  print.line(styled("Commands", "bold"));
  const entries = [...commandTable, { name: "help", summary: "this list, or the help of one command" }];
  const width = Math.max(...entries.map(({ name }) => name.length));
  for (const { name, summary } of entries)
    print.paragraph({ indent: 2, hanging: width + 3 }, name, glued(" ".repeat(width + 3 - name.length)), summary);
  print.line();
  print.line(styled("Examples", "bold"));
  print.line(`  ${program} explain httproute/baker -f examples/bakery`);
  print.line(`  ${program} explain httproute/baker -n bakery`);
  print.line(`  helm template . | ${program} explain httproute/baker -f -`);
  print.line();
  print.line(styled("Exit codes", "bold"));
  for (const { code, meaning } of exitCodeTable)
    print.paragraph({ indent: 2, hanging: 5 }, glued(`${String(code).padEnd(2)}   `), meaning);
  print.line();
  print.paragraph({}, `'${program} help COMMAND' describes a command.`);
}

export function printCommandHelp(print: Printer, program: string, entry: CommandEntry, command: Command): void {
  print.paragraph({}, `${capital(entry.summary)}.`);
  print.line();
  print.line(styled("Usage", "bold"));
  for (const usage of command.usage) print.line(`  ${program} ${entry.name} ${usage}`);
  for (const paragraph of command.description) {
    print.line();
    print.paragraph({}, paragraph);
  }
  print.line();
  print.line(styled("Examples", "bold"));
  for (const { what, line } of command.examples) {
    print.paragraph({ indent: 2, hanging: 2 }, styled(`# ${what}`, "dim"));
    print.line(`  ${program} ${line}`);
  }
  print.line();
  print.line(styled("Options", "bold"));
  for (const option of optionsOf(command).filter(({ hidden }) => !hidden)) {
    print.line("  ", styled(flags(option), "bold"));
    print.paragraph({ indent: 10 }, option.help);
  }
}

const flags = ({ name, short, value }: Option): string =>
  `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
