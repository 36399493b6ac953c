#!/usr/bin/env node
import { run } from "../cli/run.ts";
import { processIo } from "./process-io.ts";

// kubectl calls it with the words after the plugin's name, the one at the cursor last.
process.exitCode = await run(["completion", "words", "--", ...process.argv.slice(2)], processIo("kubectl prevail"));
