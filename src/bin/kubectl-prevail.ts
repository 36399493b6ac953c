#!/usr/bin/env node
import { delayOptimization } from "../serve/process/delay-optimization.ts";
import { enableCompileCache } from "../serve/process/enable-compile-cache.ts";

enableCompileCache();
delayOptimization();
void import("../serve/process/start.ts").then(({ start }) =>
  start(process.argv.slice(2), { program: "kubectl prevail", entry: import.meta.url }),
);
