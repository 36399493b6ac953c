import type { FileSystem } from "../adapters/files/file-system.ts";
import type { PolicyDefinition } from "../core/model/definition.ts";
import type { Finding } from "../core/model/finding.ts";
import { parseDefinition } from "../core/model/parse/definition/parse-definition.ts";
import { buildSnapshot, tablesOf } from "../core/model/snapshot.ts";
import { builtInDefinitions } from "../definitions/built-in-definitions.ts";
import type { KnownDefinitions } from "../definitions/known-definitions.ts";
import { vendorDefinitions } from "../definitions/vendor-definitions.ts";
import { loadDocuments } from "../sources/load-documents.ts";
import { NO_VENDORS } from "./args/definitions-option.ts";

/** The choice that `--definitions` makes. Without `known` everything that comes with the program is used. */
export type ChosenDefinitions =
  | { readonly ok: true; readonly known?: KnownDefinitions }
  | { readonly ok: false; readonly message: string; readonly hints: readonly string[] };

/** The definitions that `--definitions` chooses. A mistake in a file is a mistake of the command line: nothing is answered without it. */
export async function loadDefinitions(values: readonly string[], fileSystem: FileSystem): Promise<ChosenDefinitions> {
  const paths = values.filter((value) => value !== NO_VENDORS);
  const { documents, findings: problems } = await loadDocuments(paths, fileSystem);
  const { objects, refused, findings } = tablesOf(
    buildSnapshot(
      documents.map(({ value }) => value),
      { positions: documents.map(({ source }) => source) },
    ),
  );
  const parsed = objects
    .values()
    .filter(({ family }) => family.kind === "PolicyDefinition")
    .map(parseDefinition);
  const errors = [...problems, ...findings, ...parsed.flatMap((one) => one.findings)].filter(isError);
  refused.forEach((one) => errors.push(...one.findings.filter(isError)));
  const [first, ...others] = errors.map(formatError);
  if (first !== undefined) return { ok: false, message: `--definitions: ${first}`, hints: others.slice(0, SHOWN) };
  const own = parsed.flatMap(({ definition }): readonly PolicyDefinition[] =>
    definition === undefined ? [] : [definition],
  );
  if (own.length === 0 && paths.length > 0) {
    const message = `--definitions: there is no PolicyDefinition in ${paths.join(", ")}`;
    return { ok: false, message, hints: ["To write one for a CRD: prevail define -f CRD"] };
  }
  return { ok: true, known: withOwn(own, values.includes(NO_VENDORS)) };
}

const SHOWN = 10;
const isError = ({ severity }: Finding): boolean => severity === "error";

const formatError = ({ message, source }: Finding): string =>
  source === undefined ? message : `${source.file}:${source.line}: ${message}`;

/** If a kind has two definitions, the first is used. */
const withOwn = (own: readonly PolicyDefinition[], isWithoutVendors: boolean): KnownDefinitions => ({
  definitions: [...own, ...builtInDefinitions()],
  ...(isWithoutVendors ? {} : { library: vendorDefinitions() }),
});
