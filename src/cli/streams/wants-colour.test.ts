import { expect, test } from "vitest";
import { wantsColour } from "./wants-colour.ts";

for (const [name, mode, env, onTerminal, inPipe] of [
  ["nothing is set", undefined, {}, true, false],
  ["--color auto", "auto", {}, true, false],
  ["--color always", "always", { NO_COLOR: "1" }, true, true],
  ["--color never", "never", { FORCE_COLOR: "1" }, false, false],
  ["NO_COLOR", undefined, { NO_COLOR: "1" }, false, false],
  ["NO_COLOR, empty", undefined, { NO_COLOR: "" }, true, false],
  ["NO_COLOR before FORCE_COLOR", undefined, { NO_COLOR: "1", FORCE_COLOR: "1" }, false, false],
  ["FORCE_COLOR", undefined, { FORCE_COLOR: "1" }, true, true],
  ["FORCE_COLOR=3", undefined, { FORCE_COLOR: "3" }, true, true],
  ["FORCE_COLOR=0", undefined, { FORCE_COLOR: "0" }, false, false],
  ["FORCE_COLOR=false", undefined, { FORCE_COLOR: "false" }, false, false],
  ["FORCE_COLOR, empty", undefined, { FORCE_COLOR: "" }, true, false],
  ["CLICOLOR=0", undefined, { CLICOLOR: "0" }, false, false],
  ["CLICOLOR=1", undefined, { CLICOLOR: "1" }, true, false],
  ["CLICOLOR_FORCE=1", undefined, { CLICOLOR_FORCE: "1", CLICOLOR: "0" }, true, true],
  ["CLICOLOR_FORCE=0", undefined, { CLICOLOR_FORCE: "0" }, true, false],
  ["a terminal without colours", undefined, { TERM: "dumb" }, false, false],
  ["a terminal without colours, forced", undefined, { TERM: "dumb", FORCE_COLOR: "1" }, true, true],
] as const) {
  test(name, () => {
    expect([wantsColour(mode, { env, isTerminal: true }), wantsColour(mode, { env, isTerminal: false })]).toEqual([
      onTerminal,
      inPipe,
    ]);
  });
}
