#!/usr/bin/env node
import { delayOptimization } from "../serve/process/delay-optimization.ts";
import { enableCompileCache } from "../serve/process/enable-compile-cache.ts";

enableCompileCache();
delayOptimization();
// kubectl calls it with the words after the plugin's name. The word at the cursor comes last.
void import("../serve/process/start.ts").then(({ start }) =>
  start(["completion", "words", "--", ...process.argv.slice(2)], {
    program: "kubectl prevail",
    entry: import.meta.url,
  }),
);
