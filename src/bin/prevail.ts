#!/usr/bin/env node
import { enableCompileCache } from "../serve/process/enable-compile-cache.ts";

enableCompileCache();
const { start } = await import("../serve/process/start.ts");
start(process.argv.slice(2), { program: "prevail", entry: import.meta.url });
