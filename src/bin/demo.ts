import { printDemo } from "../serve/demo/print-demo.ts";
import { processIo } from "../serve/process/process-io.ts";

void printDemo(processIo({ program: "prevail", entry: import.meta.url })).then((code) => {
  process.exitCode = code;
});
