/** Kubernetes' format library: `format.dns1123Label().validate(name)`. */
import { CelOpaque, CelOptional, type CelValue } from "../values.ts";
import { type FunctionTable, opaqueArg, textArg } from "./arguments.ts";

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const isLabel = (text: string): boolean => text.length <= 63 && LABEL.test(text);
const isSubdomain = (text: string): boolean => text.length <= 253 && text.split(".").every((part) => LABEL.test(part));
const isDns1035 = (text: string): boolean => text.length <= 63 && /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text);
const isNamePart = (text: string): boolean =>
  text.length <= 63 && /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text);

function isQualifiedName(text: string): boolean {
  const parts = text.split("/");
  const [prefix, name] = parts.length === 1 ? [undefined, parts[0]] : parts;
  return parts.length <= 2 && (prefix === undefined || isSubdomain(prefix)) && isNamePart(name ?? "");
}

/** A prefix may end in a dash: it is completed by generateName. */
const asPrefix =
  (is: (text: string) => boolean) =>
  (text: string): boolean =>
    is(text.endsWith("-") ? `${text.slice(0, -1)}a` : text);

const isDate = (text: string): boolean =>
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  dns1123Label: isLabel,
  dns1123Subdomain: isSubdomain,
  dns1035Label: isDns1035,
  qualifiedName: isQualifiedName,
  dns1123LabelPrefix: asPrefix(isLabel),
  dns1123SubdomainPrefix: asPrefix(isSubdomain),
  dns1035LabelPrefix: asPrefix(isDns1035),
  labelValue: (text) => text === "" || isNamePart(text),
  uri: (text) => /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]*|\/[^\s]*)$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  date: isDate,
  datetime: (text) =>
    isDate(text.slice(0, 10)) &&
    /^.{10}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$/.test(text),
};

type Format = CelOpaque<"kubernetes.NamedFormat", (text: string) => boolean>;
const formatValue = (name: string): Format =>
  new CelOpaque("kubernetes.NamedFormat", FORMATS[name] as (text: string) => boolean, name);

/** `validate` gives the problems as an optional; without problems it has no value. */
function validate(format: CelValue | undefined, text: string): CelOptional {
  const { content, key } = opaqueArg<"kubernetes.NamedFormat", (text: string) => boolean>(
    "kubernetes.NamedFormat",
    format,
  );
  return new CelOptional(content(text) ? undefined : [`${JSON.stringify(text)} is not a valid ${key}`]);
}

export const formatFunctions: FunctionTable = {
  ...Object.fromEntries(Object.keys(FORMATS).map((name) => [`format.${name}/0`, () => formatValue(name)])),
  "format.named/1": ([name]) =>
    new CelOptional(Object.hasOwn(FORMATS, textArg(name)) ? formatValue(textArg(name)) : undefined),
  ".validate/1": ([format, text]) => validate(format, textArg(text)),
};
