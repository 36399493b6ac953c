import module from "node:module";

/**
 * Node 22.1 and newer keep compiled code between starts, in the folder that NODE_COMPILE_CACHE names or else in the temporary folder. Older ones compile at
 * each start. Only what is loaded after this call is kept, so an entry point calls it before it loads the rest.
 */
export function enableCompileCache(): void {
  if (keepsCompiledCode(module)) module.enableCompileCache();
}

/** The types of Node 20 do not have the function. */
const keepsCompiledCode = (node: object): node is { readonly enableCompileCache: () => unknown } =>
  "enableCompileCache" in node;
