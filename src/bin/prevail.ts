#!/usr/bin/env node
import { run } from "../cli/run.ts";
import { processIo } from "./process-io.ts";

process.exitCode = await run(process.argv.slice(2), processIo("prevail"));
