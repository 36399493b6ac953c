type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The properties of SARIF 2.1.0 that Prevail uses, by object. */
const PROPERTIES = {
  log: ["$schema", "version", "runs"],
  run: ["tool", "columnKind", "results"],
  tool: ["driver"],
  driver: ["name", "version", "semanticVersion", "rules"],
  rule: ["id", "shortDescription", "help", "defaultConfiguration"],
  help: ["text", "markdown"],
  configuration: ["level"],
  message: ["text"],
  result: ["ruleId", "ruleIndex", "level", "message", "locations", "relatedLocations"],
  location: ["id", "physicalLocation", "logicalLocations", "message"],
  logical: ["fullyQualifiedName", "kind"],
  physical: ["artifactLocation", "region"],
  artifact: ["uri"],
  region: ["startLine", "startColumn"],
} as const;

const LEVELS: readonly unknown[] = ["error", "warning", "note", "none"];

/** The violations of SARIF 2.1.0 and of code scanners' further requirements in a log, as `pointer: problem`. */
export function sarifProblems(log: unknown): readonly string[] {
  const found: string[] = [];
  const say: Say = (at, what) => void found.push(`${at}: ${what}`);
  const { $schema, version, runs } = open("log", log, "", say);
  if (version !== "2.1.0") say("/version", `is ${String(version)}`);
  if (typeof $schema !== "string" || !URL.canParse($schema)) say("/$schema", "is no URI");
  if (listOf(runs).length !== 1) say("/runs", "is not one run");
  listOf(runs).forEach((run, index) => checkRun(run, `/runs/${index}`, say));
  return found;
}

type Say = (at: string, what: string) => void;

function open(type: keyof typeof PROPERTIES, object: unknown, at: string, say: Say): Fields {
  const fields = fieldsOf(object);
  const known: readonly string[] = PROPERTIES[type];
  for (const key of Object.keys(fields)) if (!known.includes(key)) say(at, `has ${key}`);
  return fields;
}

function checkRun(run: unknown, at: string, say: Say): void {
  const { tool, columnKind = "utf16CodeUnits", results } = open("run", run, at, say);
  const driver = open("driver", open("tool", tool, `${at}/tool`, say)["driver"], `${at}/tool/driver`, say);
  wantText(driver["name"], `${at}/tool/driver/name`, say);
  if (columnKind !== "utf16CodeUnits") say(`${at}/columnKind`, `is ${String(columnKind)}`);
  const rules = listOf(driver["rules"]);
  rules.forEach((rule, index) => checkRule(rule, `${at}/tool/driver/rules/${index}`, say));
  wantNoneTwice(
    rules.map((rule) => fieldsOf(rule)["id"]),
    `${at}/tool/driver/rules`,
    say,
  );
  if (!Array.isArray(results)) say(`${at}/results`, "is no list");
  listOf(results).forEach((result, index) => checkResult(result, rules, `${at}/results/${index}`, say));
}

function checkRule(rule: unknown, at: string, say: Say): void {
  const { id, shortDescription, help, defaultConfiguration } = open("rule", rule, at, say);
  wantText(id, `${at}/id`, say);
  wantMessage(shortDescription, `${at}/shortDescription`, say);
  wantText(open("help", help, `${at}/help`, say)["text"], `${at}/help/text`, say);
  wantLevel(open("configuration", defaultConfiguration, at, say)["level"], `${at}/defaultConfiguration/level`, say);
}

function checkResult(result: unknown, rules: readonly unknown[], at: string, say: Say): void {
  const { ruleId, ruleIndex, level, message, locations, relatedLocations } = open("result", result, at, say);
  wantLevel(level, `${at}/level`, say);
  wantMessage(message, `${at}/message`, say);
  if (fieldsOf(rules[Number(ruleIndex)])["id"] !== ruleId)
    say(`${at}/ruleIndex`, `does not lead to rule ${String(ruleId)}`);
  if (listOf(locations).length === 0) say(`${at}/locations`, "is not one location at least");
  listOf(locations).forEach((own, index) => checkLocation(own, `${at}/locations/${index}`, say));
  const related = listOf(relatedLocations);
  related.forEach((own, index) => {
    checkLocation(own, `${at}/relatedLocations/${index}`, say);
    wantMessage(fieldsOf(own)["message"], `${at}/relatedLocations/${index}/message`, say);
  });
  wantNoneTwice(related, `${at}/relatedLocations`, say);
}

function checkLocation(location: unknown, at: string, say: Say): void {
  const { physicalLocation, logicalLocations } = open("location", location, at, say);
  const physical = `${at}/physicalLocation`;
  const { artifactLocation, region } = open("physical", physicalLocation, physical, say);
  const { uri } = open("artifact", artifactLocation, `${physical}/artifactLocation`, say);
  const isUri = typeof uri === "string" && /^[\w.~!$&'()*+,;=:@%/-]+$/.test(uri) && URL.canParse(uri, "file:///");
  if (!isUri) say(`${physical}/artifactLocation/uri`, `is ${String(uri)}`);
  const { startLine, startColumn = 1 } = open("region", region, `${physical}/region`, say);
  wantNumber(startLine, `${physical}/region/startLine`, say);
  wantNumber(startColumn, `${physical}/region/startColumn`, say);
  for (const logical of listOf(logicalLocations)) open("logical", logical, `${at}/logicalLocations`, say);
}

const wantMessage = (message: unknown, at: string, say: Say): void =>
  wantText(open("message", message, at, say)["text"], `${at}/text`, say);

function wantText(text: unknown, at: string, say: Say): void {
  if (typeof text !== "string" || text === "") say(at, "is missing");
}

function wantNumber(number: unknown, at: string, say: Say): void {
  if (!Number.isInteger(number) || Number(number) < 1) say(at, `is ${String(number)}`);
}

function wantLevel(level: unknown, at: string, say: Say): void {
  if (!LEVELS.includes(level)) say(at, `is ${String(level)}`);
}

function wantNoneTwice(values: readonly unknown[], at: string, say: Say): void {
  if (new Set(values.map((value) => JSON.stringify(value))).size < values.length) say(at, "has one twice");
}
