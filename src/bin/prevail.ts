import { processIo } from "./process-io.ts";
import { start } from "./start.ts";

start(process.argv.slice(2), processIo("prevail"));
