import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printData } from "../output-format.ts";

export const command: Command = {
  usage: [""],
  description: ["Prints the version of this program and of the Node that runs it."],
  options: [],
  takes: [],
  outputs: ["json", "yaml"],
  examples: [{ what: "The version", line: "version" }],
  run: async ({ io, print, output }) => {
    const version = io.version();
    if (output === "json" || output === "yaml") printData(print, output, { version, node: process.version });
    else print.line(`prevail ${version} (Node ${process.version})`);
    return exitCodes.ok;
  },
};
