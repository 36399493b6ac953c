import { posix } from "node:path";
import { type ImportSite, lineAt, type SourceScan, scanSource } from "./scan-source.ts";

export interface SourceFile {
  /** The path from the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface ArchitectureRules {
  /** Every source file belongs to the first layer whose `contains` matches it. */
  readonly layers: readonly Layer[];
  /** Folders of which only one file may be imported from outside, by tests too. */
  readonly sealed: readonly { readonly folder: string; readonly entry: string }[];
  /** The folder in which packages, `node:` modules and `impureWords` are not allowed. */
  readonly pureFolder: string;
  readonly impureWords: readonly { readonly pattern: RegExp; readonly what: string }[];
  /** The folder of the one file that may import the package; with several folders, one file in each. */
  readonly packages: Readonly<Record<string, string | readonly string[]>>;
  readonly testPackages: readonly string[];
  readonly bannedNames: readonly string[];
  readonly bannedEndings: readonly string[];
}

export interface Layer {
  readonly name: string;
  /** A folder (`src/cli/`), a file, or a pattern in which `*` matches everything but a slash (`src/*.ts`). */
  readonly contains: string;
  /** Names of other layers. A layer may always import from itself. */
  readonly mayImport: readonly string[];
}

interface ScannedFile extends SourceFile, SourceScan {}

/** One sentence per violation, in order of files. */
export function checkArchitecture(files: readonly SourceFile[], rules: ArchitectureRules): readonly string[] {
  const scanned = files
    .map((file): ScannedFile => ({ ...file, ...scanSource(file.text) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const sources = scanned.filter((file) => file.path.startsWith("src/"));
  const production = sources.filter((file) => !isTest(file.path));
  return [
    ...scanned.flatMap((file) => checkName(file.path, rules)),
    ...scanned.flatMap(checkExports),
    ...production.flatMap((file) => checkLayer(file, rules)),
    ...production.flatMap((file) => checkPurity(file, rules)),
    ...sources.filter((file) => isTest(file.path)).flatMap((file) => checkTestImports(file, rules)),
    ...scanned.flatMap((file) => checkSealed(file, rules)),
    ...checkSinglePackageFiles(production, rules),
    ...checkCycles(scanned),
  ];
}

export function findLayer(path: string, layers: readonly Layer[]): Layer | undefined {
  return layers.find(({ contains }) => (contains.endsWith("/") ? path.startsWith(contains) : matches(path, contains)));
}

function matches(path: string, pattern: string): boolean {
  const expression = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
  return new RegExp(`^${expression}$`).test(path);
}

function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

function isGenerated(path: string): boolean {
  return path.includes("/gen/");
}

function checkName(path: string, { bannedNames, bannedEndings }: ArchitectureRules): readonly string[] {
  if (isGenerated(path)) return [];
  const violations: string[] = [];
  const [fileName = "", ...folders] = path.split("/").reverse();
  const [stem = ""] = fileName.split(".");
  if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|bench|d))*\.(ts|tsx|mjs)$/.test(fileName)) {
    violations.push(`${path}: file names are kebab-case, like build-topology.ts or build-topology.test.ts`);
  }
  if (stem === "index" && path !== "src/index.ts") {
    violations.push(`${path}: no inner index.ts; import the file that has the name you need`);
  }
  for (const name of [stem, ...folders]) {
    const ending = bannedEndings.find((banned) => name.endsWith(`-${banned}`));
    if (bannedNames.includes(name)) {
      violations.push(`${path}: "${name}" is not descriptive; name it after what it exports`);
    } else if (ending !== undefined) {
      violations.push(`${path}: a name that ends in "-${ending}" is not descriptive; name it after what it exports`);
    }
  }
  return violations;
}

function checkExports({ path, text, code }: ScannedFile): readonly string[] {
  if (isGenerated(path)) return [];
  const rules = [
    [/(?<![\w$.])export\s+default\b|\bas\s+default\b/g, "no default export; export it by name"],
    [/(?<![\w$.])export\s*(?:type\s*)?\*/g, "no `export *`; list the names"],
  ] as const;
  return rules.flatMap(([pattern, rule]) =>
    [...code.matchAll(pattern)].map((match) => `${path}:${lineAt(text, match.index)}: ${rule}`),
  );
}

function checkLayer(file: ScannedFile, rules: ArchitectureRules): readonly string[] {
  const layer = findLayer(file.path, rules.layers);
  if (layer === undefined) {
    return [
      `${file.path}: belongs to no layer; move it into one, or add its folder to the table in architecture.test.ts`,
    ];
  }
  return file.imports.flatMap((site) => {
    const rule = brokenRule(file, site, layer, rules);
    return rule === undefined
      ? []
      : [`${file.path}:${site.line}: imports ${site.specifier ?? "a computed name"}: ${rule}`];
  });
}

/** The rule this import breaks, if it breaks one. */
function brokenRule(
  file: ScannedFile,
  { specifier }: ImportSite,
  layer: Layer,
  rules: ArchitectureRules,
): string | undefined {
  if (specifier === undefined) return "write out the module name, so that it can be checked";
  const pure = file.path.startsWith(rules.pureFolder);
  if (specifier.startsWith("node:")) return pure ? `${rules.pureFolder} is pure: no node: modules` : undefined;
  if (!isRelative(specifier))
    return pure ? `${rules.pureFolder} is pure: no packages` : brokenPackageRule(file, specifier, rules);
  const target = resolve(file.path, specifier);
  if (!target.startsWith("src/")) return "sources import only from src/";
  if (isTest(target)) return "only tests import tests";
  const targetLayer = findLayer(target, rules.layers);
  if (targetLayer === undefined) return `${target} belongs to no layer`;
  if (targetLayer === layer || layer.mayImport.includes(targetLayer.name)) return undefined;
  const allowed = layer.mayImport.length === 0 ? "only itself" : `only itself and ${layer.mayImport.join(", ")}`;
  return `${layer.name} may not import ${targetLayer.name} (${allowed})`;
}

function brokenPackageRule(file: ScannedFile, specifier: string, rules: ArchitectureRules): string | undefined {
  const name = packageName(specifier);
  const homes = homesOf(name, rules);
  if (homes.length === 0) return `package ${name} is not listed; add it to architecture.test.ts and docs/decisions/`;
  if (homes.some((home) => file.path.startsWith(home))) return undefined;
  return `package ${name} is imported only in ${homes.join(" and ")}`;
}

function homesOf(name: string, { packages }: ArchitectureRules): readonly string[] {
  const homes = packages[name] ?? [];
  return typeof homes === "string" ? [homes] : homes;
}

/** Imports of inner files of a sealed folder from outside. */
function checkSealed({ path, imports }: ScannedFile, { sealed }: ArchitectureRules): readonly string[] {
  return imports.flatMap(({ specifier, line }) => {
    if (specifier === undefined || !isRelative(specifier)) return [];
    const target = resolve(path, specifier);
    return sealed
      .filter(({ folder, entry }) => target.startsWith(folder) && !path.startsWith(folder) && target !== entry)
      .map(
        ({ folder, entry }) =>
          `${path}:${line}: imports ${specifier}: only ${entry} may be imported from outside ${folder}`,
      );
  });
}

/** Each package is imported by one file in each of its folders. */
function checkSinglePackageFiles(files: readonly ScannedFile[], rules: ArchitectureRules): readonly string[] {
  const importers = new Map<string, { readonly name: string; readonly paths: Set<string> }>();
  for (const file of files.filter(({ path }) => !isGenerated(path))) {
    for (const { specifier } of file.imports) {
      if (specifier === undefined || isRelative(specifier) || specifier.startsWith("node:")) continue;
      const name = packageName(specifier);
      const home = homesOf(name, rules).find((folder) => file.path.startsWith(folder)) ?? "";
      const known = importers.get(`${name} ${home}`) ?? { name, paths: new Set() };
      importers.set(`${name} ${home}`, { name, paths: known.paths.add(file.path) });
    }
  }
  return [...importers.values()]
    .filter(({ paths }) => paths.size > 1)
    .map(
      ({ name, paths }) => `package ${name} is imported by ${[...paths].join(" and ")}: it must sit behind one file`,
    );
}

function checkPurity({ path, text, code }: ScannedFile, rules: ArchitectureRules): readonly string[] {
  if (!path.startsWith(rules.pureFolder)) return [];
  return rules.impureWords.flatMap(({ pattern, what }) =>
    [...code.matchAll(new RegExp(pattern, "g"))].map(
      (match) => `${path}:${lineAt(text, match.index)}: uses ${match[0].trim()}: ${rules.pureFolder} is pure: ${what}`,
    ),
  );
}

function checkTestImports({ path, imports }: ScannedFile, rules: ArchitectureRules): readonly string[] {
  const allowed = (specifier: string): boolean => {
    if (specifier.startsWith("node:")) return true;
    if (!isRelative(specifier)) return rules.testPackages.includes(packageName(specifier));
    return /^(?:src|test)\//.test(resolve(path, specifier));
  };
  return imports.flatMap(({ specifier, line }) =>
    specifier === undefined || allowed(specifier)
      ? []
      : [`${path}:${line}: imports ${specifier}: tests import ${rules.testPackages.join(", ")}, node:, src/ and test/`],
  );
}

/** One sentence for each import that closes a cycle; type-only imports count. */
function checkCycles(files: readonly ScannedFile[]): readonly string[] {
  const imports = new Map(
    files.map(({ path, imports: sites }) => [
      path,
      sites.flatMap(({ specifier }) =>
        specifier !== undefined && isRelative(specifier) ? [resolve(path, specifier)] : [],
      ),
    ]),
  );
  const violations: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) violations.push(`${path}: import cycle: ${[...trail.slice(start), path].join(" → ")}`);
    if (start !== -1 || done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return violations;
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith(".");
}

function resolve(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}

function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
