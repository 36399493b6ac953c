/** The parts of a TypeScript source that the architecture rules check, found without a compiler. */
export interface SourceScan {
  readonly imports: readonly ImportSite[];
  /** The source with comments, regular expressions and the insides of strings blanked; offsets and lines are kept. */
  readonly code: string;
}

export interface ImportSite {
  /** Absent if the module name is computed: `import(name)`. */
  readonly specifier?: string;
  readonly line: number;
}

/**
 * Finds static, side-effect, re-exporting, dynamic and type-only imports. In blanked code the word `from` before a quote
 * always ends an import or export statement.
 */
export function scanSource(source: string): SourceScan {
  const code = blankSource(source);
  const imports: (ImportSite & { readonly offset: number })[] = [];
  for (const match of code.matchAll(/(?<![\w$.])(?:(?:from|import)\s*(?=["'])|import\s*\(\s*)/g)) {
    const offset = match.index + match[0].length;
    const specifier = findStringAt(source, code, offset);
    imports.push({ offset, line: lineAt(source, match.index), ...(specifier === undefined ? {} : { specifier }) });
  }
  return { imports: imports.map(({ offset: _, ...site }) => site), code };
}

export function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split("\n").length;
}

function findStringAt(source: string, code: string, start: number): string | undefined {
  const quote = code[start];
  if (quote !== '"' && quote !== "'") return undefined;
  return source.slice(start + 1, code.indexOf(quote, start + 1));
}

/** Replaces comments, regular expressions and contents of strings by spaces. Offsets and line breaks stay. */
function blankSource(source: string): string {
  let code = "";
  let at = 0;
  // One entry for each open template literal: the number of open braces inside its current `${…}`.
  const templates: number[] = [];

  const keep = (end: number): void => {
    code += source.slice(at, end);
    at = end;
  };
  const blank = (end: number): void => {
    code += source.slice(at, end).replaceAll(/[^\n]/g, " ");
    at = end;
  };
  const templateText = (): void => {
    const end = endOfTemplateText(source, at);
    blank(end);
    if (source[at] === "`") keep(at + 1);
    else if (at < source.length) {
      keep(at + 2);
      templates.push(0);
    }
  };

  while (at < source.length) {
    const char = source[at];
    const next = source[at + 1];
    const braces = templates.at(-1);
    if (char === "/" && next === "/") blank(indexOr(source, "\n", at));
    else if (char === "/" && next === "*") blank(indexOr(source, "*/", at + 2) + 2);
    else if (char === '"' || char === "'") {
      const end = endOfDelimited(source, at, char);
      keep(at + 1);
      blank(end);
      keep(Math.min(end + 1, source.length));
    } else if (char === "/" && startsRegex(code)) {
      const end = endOfRegex(source, at);
      if (end === undefined) keep(at + 1);
      else blank(end);
    } else if (char === "`") {
      keep(at + 1);
      templateText();
    } else if (char === "}" && braces === 0) {
      templates.pop();
      keep(at + 1);
      templateText();
    } else {
      if (braces !== undefined && char === "{") templates[templates.length - 1] = braces + 1;
      if (braces !== undefined && char === "}") templates[templates.length - 1] = braces - 1;
      keep(at + 1);
    }
  }
  return code;
}

function indexOr(source: string, text: string, from: number): number {
  const found = source.indexOf(text, from);
  return found === -1 ? source.length : found;
}

function endOfDelimited(source: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < source.length && source[at] !== quote && source[at] !== "\n") at += source[at] === "\\" ? 2 : 1;
  return Math.min(at, source.length);
}

function endOfTemplateText(source: string, start: number): number {
  let at = start;
  while (at < source.length && source[at] !== "`" && !source.startsWith("${", at)) at += source[at] === "\\" ? 2 : 1;
  return Math.min(at, source.length);
}

/** A slash divides after a value and starts a regular expression elsewhere. */
function startsRegex(before: string): boolean {
  const text = before.trimEnd();
  const word = /[\w$]+$/.exec(text)?.[0];
  if (word !== undefined) {
    return /^(?:return|typeof|case|in|of|void|delete|instanceof|throw|else|do|yield|await)$/.test(word);
  }
  return !/[)\]}"'`]$/.test(text);
}

function endOfRegex(source: string, start: number): number | undefined {
  let inClass = false;
  for (let at = start + 1; at < source.length && source[at] !== "\n"; at++) {
    const char = source[at];
    if (char === "\\") at++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return at + 1;
  }
  return undefined;
}
