import { MAX_HEAP_MIB } from "../../core/envoy/overload-limits.ts";
import type { Option, OptionValues } from "./option.ts";

/** The option of all commands that write the bootstrap of an Envoy. */
export const envoyHeapOption: Option = {
  name: "envoy-heap",
  value: "MIB",
  help: `the memory of an Envoy in MiB: near it, Envoy aborts the requests that need most, and refuses others (default: ${MAX_HEAP_MIB})`,
};

/** An Envoy without routes needs about a tenth of it. */
const LEAST_MIB = 64;
const MOST_MIB = 1024 * 1024;

/** Returns an error message if it is not a number. */
export function parseEnvoyHeap(options: OptionValues): number | string {
  const text = options.value(envoyHeapOption.name) ?? String(MAX_HEAP_MIB);
  const mib = /^[0-9]{1,7}$/.test(text) ? Number(text) : 0;
  return mib >= LEAST_MIB && mib <= MOST_MIB
    ? mib
    : `--${envoyHeapOption.name} is '${text}': give a number of MiB, from ${LEAST_MIB} to ${MOST_MIB}`;
}
