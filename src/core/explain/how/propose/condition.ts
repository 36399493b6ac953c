import { isJsonList, isJsonObject, type Json } from "../../../model/json.ts";
import type { UnitWish } from "../settings.ts";

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Words that CEL keeps for itself. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "as break const continue else false for function if import in let loop " +
    "namespace null package return true var void while"
  ).split(" "),
);

/** A CEL condition that is false where the settings have the wanted values, and true elsewhere, also where keys are missing. */
export const exceptWhere = (settings: readonly UnitWish[]): string => `!(${settings.map(isAsWanted).join(" && ")})`;

const isAsWanted = ({ keys, value }: UnitWish): string =>
  [...isSet(keys), `${access(keys)} == ${literal(value ?? null)}`].join(" && ");

/** Each key on the way is checked: reading a key that is missing would make the whole condition false. */
const isSet = (keys: readonly string[]): readonly string[] =>
  keys.map((key, index) => {
    const above = keys.slice(0, index);
    return isName(key) ? `has(${access([...above, key])})` : `${literal(key)} in ${access(above)}`;
  });

const access = (keys: readonly string[]): string =>
  keys.reduce((text, key) => (isName(key) ? `${text}.${key}` : `${text}[${literal(key)}]`), "spec");

const isName = (key: string): boolean => IDENTIFIER.test(key) && !RESERVED.has(key);

/** JSON's literals are CEL's, but for keys of maps, which need quotes in both. */
function literal(value: Json): string {
  if (isJsonList(value)) return `[${value.map(literal).join(", ")}]`;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([key, own]) => `${JSON.stringify(key)}: ${literal(own)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}
