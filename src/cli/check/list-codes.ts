import { findingCodes } from "../../core/model/finding-codes.ts";
import type { CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
import { allCodes } from "./find-code.ts";

/** `check --list`: every code with its usual severity and one sentence, in the order of docs/findings.md. */
export function listCodes({ print, output, fail }: CommandContext): ExitCode {
  const codes = allCodes.map((code) => ({ code, ...findingCodes[code] }));
  if (output === "json") {
    printData(print, "json", { codes: codes.map(({ code, severity, title }) => ({ code, severity, title })) });
    return exitCodes.ok;
  }
  if (output !== undefined) return fail(`--list has no -o ${output}; it has text and -o json`);
  print.table({
    columns: [{ header: "CODE" }, { header: "SEVERITY" }, { header: "MEANING", flexible: true }],
    rows: codes.map(({ code, severity, title }) => [code, severity, title]),
  });
  return exitCodes.ok;
}
