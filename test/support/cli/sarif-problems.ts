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
  const report: Report = (at, what) => void found.push(`${at}: ${what}`);
  const { $schema, version, runs } = open("log", log, "", report);
  if (version !== "2.1.0") report("/version", `is ${String(version)}`);
  if (typeof $schema !== "string" || !URL.canParse($schema)) report("/$schema", "is no URI");
  if (listOf(runs).length !== 1) report("/runs", "is not one run");
  listOf(runs).forEach((run, index) => checkRun(run, `/runs/${index}`, report));
  return found;
}

type Report = (at: string, what: string) => void;

function open(type: keyof typeof PROPERTIES, object: unknown, at: string, report: Report): Fields {
  const fields = fieldsOf(object);
  const known: readonly string[] = PROPERTIES[type];
  for (const key of Object.keys(fields)) if (!known.includes(key)) report(at, `has ${key}`);
  return fields;
}

function checkRun(run: unknown, at: string, report: Report): void {
  const { tool, columnKind = "utf16CodeUnits", results } = open("run", run, at, report);
  const driver = open("driver", open("tool", tool, `${at}/tool`, report)["driver"], `${at}/tool/driver`, report);
  wantText(driver["name"], `${at}/tool/driver/name`, report);
  if (columnKind !== "utf16CodeUnits") report(`${at}/columnKind`, `is ${String(columnKind)}`);
  const rules = listOf(driver["rules"]);
  rules.forEach((rule, index) => checkRule(rule, `${at}/tool/driver/rules/${index}`, report));
  wantNoneTwice(
    rules.map((rule) => fieldsOf(rule)["id"]),
    `${at}/tool/driver/rules`,
    report,
  );
  if (!Array.isArray(results)) report(`${at}/results`, "is no list");
  listOf(results).forEach((result, index) => checkResult(result, rules, `${at}/results/${index}`, report));
}

function checkRule(rule: unknown, at: string, report: Report): void {
  const { id, shortDescription, help, defaultConfiguration } = open("rule", rule, at, report);
  wantText(id, `${at}/id`, report);
  wantMessage(shortDescription, `${at}/shortDescription`, report);
  wantText(open("help", help, `${at}/help`, report)["text"], `${at}/help/text`, report);
  wantLevel(
    open("configuration", defaultConfiguration, at, report)["level"],
    `${at}/defaultConfiguration/level`,
    report,
  );
}

function checkResult(result: unknown, rules: readonly unknown[], at: string, report: Report): void {
  const { ruleId, ruleIndex, level, message, locations, relatedLocations } = open("result", result, at, report);
  wantLevel(level, `${at}/level`, report);
  wantMessage(message, `${at}/message`, report);
  if (fieldsOf(rules[Number(ruleIndex)])["id"] !== ruleId)
    report(`${at}/ruleIndex`, `does not lead to rule ${String(ruleId)}`);
  if (listOf(locations).length === 0) report(`${at}/locations`, "is not one location at least");
  listOf(locations).forEach((own, index) => checkLocation(own, `${at}/locations/${index}`, report));
  const related = listOf(relatedLocations);
  related.forEach((own, index) => {
    checkLocation(own, `${at}/relatedLocations/${index}`, report);
    wantMessage(fieldsOf(own)["message"], `${at}/relatedLocations/${index}/message`, report);
  });
  wantNoneTwice(related, `${at}/relatedLocations`, report);
}

function checkLocation(location: unknown, at: string, report: Report): void {
  const { physicalLocation, logicalLocations } = open("location", location, at, report);
  const physical = `${at}/physicalLocation`;
  const { artifactLocation, region } = open("physical", physicalLocation, physical, report);
  const { uri } = open("artifact", artifactLocation, `${physical}/artifactLocation`, report);
  const isUri = typeof uri === "string" && /^[\w.~!$&'()*+,;=:@%/-]+$/.test(uri) && URL.canParse(uri, "file:///");
  if (!isUri) report(`${physical}/artifactLocation/uri`, `is ${String(uri)}`);
  const { startLine, startColumn = 1 } = open("region", region, `${physical}/region`, report);
  wantNumber(startLine, `${physical}/region/startLine`, report);
  wantNumber(startColumn, `${physical}/region/startColumn`, report);
  for (const logical of listOf(logicalLocations)) open("logical", logical, `${at}/logicalLocations`, report);
}

const wantMessage = (message: unknown, at: string, report: Report): void =>
  wantText(open("message", message, at, report)["text"], `${at}/text`, report);

function wantText(text: unknown, at: string, report: Report): void {
  if (typeof text !== "string" || text === "") report(at, "is missing");
}

function wantNumber(number: unknown, at: string, report: Report): void {
  if (!Number.isInteger(number) || Number(number) < 1) report(at, `is ${String(number)}`);
}

function wantLevel(level: unknown, at: string, report: Report): void {
  if (!LEVELS.includes(level)) report(at, `is ${String(level)}`);
}

function wantNoneTwice(values: readonly unknown[], at: string, report: Report): void {
  if (new Set(values.map((value) => JSON.stringify(value))).size < values.length) report(at, "has one twice");
}
