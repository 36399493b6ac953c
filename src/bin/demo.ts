import { processIo } from "./process-io.ts";

// Loaded from here: the bundler may put what programs share into the file of one of them, and whoever loaded that would run the demo.
void import("./tell-demo.ts")
  .then(({ tellDemo }) => tellDemo(processIo("prevail")))
  .then((code) => {
    process.exitCode = code;
  });
