import { processIo } from "./process-io.ts";
import { tellDemo } from "./tell-demo.ts";

void tellDemo(processIo("prevail")).then((code) => {
  process.exitCode = code;
});
