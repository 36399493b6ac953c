import { processIo } from "./process-io.ts";
import { tellDemo } from "./tell-demo.ts";

process.exitCode = await tellDemo(processIo("prevail"));
