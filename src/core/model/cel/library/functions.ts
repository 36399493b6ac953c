import { addressFunctions } from "./addresses.ts";
import type { CelFunction, FunctionTable } from "./arguments.ts";
import { conversionFunctions } from "./conversions.ts";
import { formatFunctions } from "./formats.ts";
import { listFunctions } from "./lists.ts";
import { optionalFunctions } from "./optionals.ts";
import { quantityFunctions } from "./quantities.ts";
import { stringFunctions } from "./strings.ts";
import { timeFunctions } from "./time.ts";
import { urlFunctions } from "./urls.ts";

const functions: FunctionTable = {
  ...stringFunctions,
  ...conversionFunctions,
  ...timeFunctions,
  ...listFunctions,
  ...optionalFunctions,
  ...addressFunctions,
  ...quantityFunctions,
  ...urlFunctions,
  ...formatFunctions,
};

/** A function by its name and the number of its arguments; a method is `.name`. */
export function findFunction(name: string, args: number): CelFunction | undefined {
  const key = `${name}/${args}`;
  return Object.hasOwn(functions, key) ? functions[key] : undefined;
}
