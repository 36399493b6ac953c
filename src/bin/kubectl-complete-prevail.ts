import { processIo } from "./process-io.ts";
import { start } from "./start.ts";

// kubectl calls it with the words after the plugin's name, the one at the cursor last.
start(["completion", "words", "--", ...process.argv.slice(2)], processIo("kubectl prevail"));
