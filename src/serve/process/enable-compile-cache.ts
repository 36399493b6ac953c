import module from "node:module";

/**
 * Node 22.1 and newer keep compiled code between starts, in the folder that NODE_COMPILE_CACHE names or else in the temporary folder. Older ones compile at
 * each start. Only what is loaded after this call is kept, so an entry point calls it before it loads the rest.
 */
export function enableCompileCache(): void {
  if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") module.enableCompileCache();
}
