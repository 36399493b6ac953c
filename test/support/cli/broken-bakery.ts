import { readdirSync, readFileSync } from "node:fs";

const BUILT_IN = /^kind: (?:RetryPolicy|ClusterRetryPolicy|BackendTLSPolicy)$/m;

/**
 * The bakery with a misspelt level in both of its PolicyDefinitions, as files in memory below `brk/`. `builtIn: false`: without the policies
 * of built-in kinds, so that no usable policy is left.
 */
export function brokenBakery({
  builtIn = true,
}: {
  readonly builtIn?: boolean;
} = {}): Readonly<Record<string, string>> {
  const entries = bakeryFiles().map(([name, text]) => {
    const misspelt = text.replaceAll("GRPCRouteRule]", "GRPCRouteRul]");
    const documents = misspelt.split("\n---\n").filter((document) => builtIn || !BUILT_IN.test(document));
    return [`brk/${name}`, documents.join("\n---\n")] as const;
  });
  return Object.fromEntries(entries);
}

/** The files of the bakery below `brk/`, without those whose name is given. */
export const bakeryWithout = (...left: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(bakeryFiles().flatMap(([name, text]) => (left.includes(name) ? [] : [[`brk/${name}`, text]])));

const bakeryFiles = (): ReadonlyArray<readonly [string, string]> =>
  readdirSync("examples/bakery")
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => [name, readFileSync(`examples/bakery/${name}`, "utf8")] as const);
