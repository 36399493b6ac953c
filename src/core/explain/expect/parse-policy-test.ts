import type { World } from "../../effective/world/world.ts";
import { once } from "../../model/collections/once.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, objectAt, ownValue } from "../../model/json.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { compileSchema } from "../../model/schema/compile-schema.ts";
import { FAILED_ATTEMPTS, policyTestSchema } from "../../model/schema/own-kinds/policy-test-schema.ts";
import { list, objects, text } from "../../model/schema/read-fields.ts";
import { pathTo, schemaProblems } from "../../model/schema/schema-problems.ts";
import { didYouMean } from "../../model/words/did-you-mean.ts";
import { formatValue } from "../../model/words/format-value.ts";
import { HTTP_TOKEN } from "../../model/words/http-token.ts";
import type { AttemptOutcome } from "../../retry/retry-schedule.ts";
import { parseTargetText } from "../find-objects.ts";
import { findKinds, kindWords } from "../kind-words.ts";
import type { TraceRequest } from "../trace/result.ts";
import type { BackendText, Expectation, ObjectName, PolicyTest, TestCase, TestMistake } from "./policy-test.ts";
import { readSettings } from "./read-settings.ts";
import type { TestReading } from "./test-reading.ts";

const API_VERSION = "prevail.dev/v1alpha1";
const MAX_MISTAKES = 20;

const compiledSchema = once(() => compileSchema(policyTestSchema, { origin: "BuiltIn", unknownFields: "Refused" }));

export interface ParsedPolicyTest {
  /** Undefined if there are mistakes: a test that does not mean what its author intends must not pass. */
  readonly test?: PolicyTest;
  readonly mistakes: readonly TestMistake[];
}

export function parsePolicyTest(object: KubeObject, world: World): ParsedPolicyTest {
  const mistakes: TestMistake[] = [];
  const report = (field: string, message: string): void => {
    if (mistakes.length < MAX_MISTAKES) mistakes.push({ field, message });
  };
  if (object.apiVersion !== API_VERSION)
    report("apiVersion", `apiVersion is "${object.apiVersion}"; allowed: ${API_VERSION}`);
  const spec = ownValue(object.raw, "spec") ?? null;
  for (const { field, message } of schemaProblems(compiledSchema(), spec, "spec")) report(field, message);
  if (mistakes.length > 0 || !isJsonObject(spec)) return { mistakes };
  const words = once(() => kindWords(world));
  const reading: TestReading = { world, report, readName: (name, field) => readName(name, field, words(), report) };
  const cases = objects(spec, "cases").map((own, index) => readCase(own, `spec.cases[${index}]`, reading));
  const seen = new Set<string>();
  for (const { name, field } of cases) {
    if (seen.has(name))
      report(`${field}.name`, `${field}.name is "${name}", and another case has that name: give each its own`);
    seen.add(name);
  }
  return mistakes.length > 0 ? { mistakes } : { test: { object, cases }, mistakes };
}

function readCase(own: JsonObject, field: string, reading: TestReading): TestCase {
  const request = objectAt(own, "request");
  const gateway = ownValue(request, "gateway");
  const from = ownValue(request, "from");
  const at = `${field}.request`;
  if (gateway !== undefined && from !== undefined)
    reading.report(`${at}.from`, `${at}.from is about a mesh and ${at}.gateway about a Gateway; keep one of them`);
  const bodyBytes = ownValue(request, "bodyBytes");
  const expected = readExpectation(objectAt(own, "expect"), `${field}.expect`, reading);
  if (expected.attempts !== undefined && ownValue(own, "responses") === undefined)
    reading.report(
      `${field}.expect.attempts`,
      `${field}.expect.attempts depends on the backend: say how each attempt ends, with ${field}.responses, such as [503]`,
    );
  return {
    name: text(own, "name", ""),
    field,
    request: readRequest(request, at, reading),
    bodyBytes: typeof bodyBytes === "number" ? bodyBytes : 0,
    gateway: typeof gateway === "string" ? gatewayNamed(gateway, `${at}.gateway`, reading) : undefined,
    from: typeof from === "string" ? from : undefined,
    outcomes: list(own, "responses").flatMap((word, index) =>
      readOutcome(word, `${field}.responses[${index}]`, reading),
    ),
    expected,
  };
}

function readRequest(request: JsonObject, field: string, { report }: TestReading): TraceRequest {
  const method = text(request, "method", "GET");
  if (!HTTP_TOKEN.test(method))
    report(`${field}.method`, `${field}.method is ${formatValue(method)}, which is no HTTP method`);
  const scheme = text(request, "scheme", "http") === "https" ? "https" : "http";
  const host = text(request, "host", "");
  if (/[\s/:@]/.test(host))
    report(
      `${field}.host`,
      `${field}.host is ${formatValue(host)}; allowed: a host name, without a scheme, a port or a path`,
    );
  const port = ownValue(request, "port");
  const [path, query] = splitOnce(text(request, "path", "/"), "?");
  const headers = Object.entries(objectAt(request, "headers")).map(([name, value]) => {
    if (!HTTP_TOKEN.test(name))
      report(pathTo(`${field}.headers`, name), `${formatValue(name)} is not the name of a header`);
    return [name.toLowerCase(), typeof value === "string" ? value : ""] as const;
  });
  return {
    scheme,
    method: method.toUpperCase(),
    host: host.toLowerCase(),
    port: typeof port === "number" ? port : scheme === "https" ? 443 : 80,
    path,
    query: parseQuery(query),
    headers,
  };
}

function splitOnce(whole: string, separator: string): readonly [string, string] {
  const at = whole.indexOf(separator);
  return at === -1 ? [whole, ""] : [whole.slice(0, at), whole.slice(at + 1)];
}

/** `a=1&b`, with `+` and percent-encoding as in a URL. */
const parseQuery = (query: string): readonly (readonly [string, string])[] =>
  query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name, value] = splitOnce(pair, "=");
      return [decoded(name), decoded(value)] as const;
    });

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    return encoded;
  }
}

const OUTCOMES: Readonly<Record<(typeof FAILED_ATTEMPTS)[number], AttemptOutcome>> = {
  unreachable: { type: "NotConnected" },
  refused: { type: "Refused" },
  reset: { type: "Reset" },
  timeout: { type: "TimedOut" },
};

function readOutcome(word: Json, field: string, { report }: TestReading): readonly AttemptOutcome[] {
  if (typeof word === "number" && word >= 100 && word <= 599) return [{ type: "Responded", status: word }];
  const known = FAILED_ATTEMPTS.find((name) => name === word);
  if (known !== undefined) return [OUTCOMES[known]];
  const hint = typeof word === "string" ? didYouMean(word, FAILED_ATTEMPTS) : "";
  report(
    field,
    `${field} is ${formatValue(word)}; allowed: a status from 100 to 599, ${FAILED_ATTEMPTS.join(", ")}${hint}`,
  );
  return [];
}

function readExpectation(expected: JsonObject, field: string, reading: TestReading): Expectation {
  const value = (key: string): string | undefined => {
    const own = ownValue(expected, key);
    return typeof own === "string" ? own : undefined;
  };
  const count = (key: string): number | undefined => {
    const own = ownValue(expected, key);
    return typeof own === "number" ? own : undefined;
  };
  const [route, gateway, backends] = [value("route"), value("gateway"), ownValue(expected, "backends")];
  const result: Expectation = {
    gateway: gateway === undefined ? undefined : gatewayNamed(gateway, `${field}.gateway`, reading),
    listener: value("listener"),
    route: route === undefined || route === "none" ? route : reading.readName(route, `${field}.route`),
    rule: value("rule"),
    backends: isJsonList(backends)
      ? backends.flatMap((own, index) => readBackend(own, `${field}.backends[${index}]`, reading))
      : undefined,
    status: count("status"),
    attempts: count("attempts"),
    settings: readSettings(objectAt(expected, "settings"), `${field}.settings`, reading),
  };
  const isUnrouted = route === "none" || result.listener === "none";
  const beside = ["rule", "backends", "settings"].find((key) => ownValue(expected, key) !== undefined);
  if (isUnrouted && beside !== undefined)
    reading.report(
      `${field}.${beside}`,
      `${field}.${beside} needs a route, and the test expects none; keep one of them`,
    );
  return result;
}

function readBackend(own: Json, field: string, { report }: TestReading): readonly BackendText[] {
  const whole = typeof own === "string" ? own : "";
  const [, namespace, name = "", port] = /^(?:([^/:]+)\/)?([^/:]+)(?::(\d{1,5}))?$/.exec(whole) ?? [];
  if (name !== "") return [{ text: whole, namespace, name, port: port === undefined ? undefined : Number(port) }];
  report(field, `${field} is ${formatValue(own)}; allowed: NAME, NAME:PORT, NAMESPACE/NAME or NAMESPACE/NAME:PORT`);
  return [];
}

/** `prod`, `infra/prod` or `gateway/infra/prod`. */
function gatewayNamed(whole: string, field: string, { readName: read }: TestReading): ObjectName | undefined {
  const isFull = whole.split("/").length > 2 || /^(?:gtw|gateways?)\//i.test(whole);
  const found = read(isFull ? whole : `gateway.${GATEWAY_API}/${whole}`, field);
  return found === undefined ? undefined : { ...found, text: whole };
}

function readName(
  whole: string,
  field: string,
  words: ReturnType<typeof kindWords>,
  report: TestReading["report"],
): ObjectName | undefined {
  const parsed = parseTargetText(whole);
  if (parsed === undefined || parsed.sectionName !== undefined) {
    report(field, `${field} is ${formatValue(whole)}; allowed: KIND/NAME or KIND/NAMESPACE/NAME`);
    return undefined;
  }
  const kinds = findKinds(words, parsed.kind);
  if (kinds.length === 0) {
    const known = words.flatMap((kind) => [kind.kind, ...kind.words]);
    report(field, `${field} is ${formatValue(whole)}; unknown kind '${parsed.kind}'${didYouMean(parsed.kind, known)}`);
    return undefined;
  }
  return { text: whole, kinds, namespace: parsed.namespace, name: parsed.name };
}
