import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";

export const command: Command = {
  usage: [""],
  description: ["Prints the version of this program and of the Node that runs it."],
  options: [],
  takes: [],
  outputs: ["json", "yaml"],
  examples: [{ what: "The version", line: "version" }],
  run: async ({ args, io, print, output, fail }) => {
    if (args.length > 0) return fail(`unexpected argument '${args[0] ?? ""}': version takes options only`);
    const version = io.version();
    if (output === "json" || output === "yaml") printData(print, output, { version, node: process.version });
    else print.line(`prevail ${version} (Node ${process.version})`);
    return exitCodes.ok;
  },
};
