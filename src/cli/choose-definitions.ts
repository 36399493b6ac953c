import { definitionsOption } from "./args/definitions-option.ts";
import type { OptionValues } from "./args/option.ts";
import type { CliIo } from "./cli-io.ts";
import type { ChosenDefinitions } from "./load-definitions.ts";

/** The definitions that `--definitions` chooses. */
export async function chooseDefinitions(options: OptionValues, { fileSystem }: CliIo): Promise<ChosenDefinitions> {
  const values = options.values(definitionsOption.name);
  if (values.length === 0) return { ok: true };
  const { loadDefinitions } = await import("./load-definitions.ts");
  return loadDefinitions(values, fileSystem);
}
