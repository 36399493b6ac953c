import { type Token, tokenize } from "./tokenize.ts";
import { CelDouble, CelUnsupported, type CelValue } from "./values.ts";

/** The syntax tree of an expression. Macros (`all`, `has` …) are nodes of their own. */
export type CelExpression =
  | { readonly op: "literal"; readonly value: CelValue }
  | { readonly op: "name"; readonly name: string }
  | { readonly op: "select"; readonly operand: CelExpression; readonly field: string; readonly isOptional: boolean }
  | { readonly op: "has"; readonly operand: CelExpression; readonly field: string }
  | {
      readonly op: "index";
      readonly operand: CelExpression;
      readonly index: CelExpression;
      readonly isOptional: boolean;
    }
  | {
      readonly op: "call";
      readonly name: string;
      readonly target?: CelExpression;
      readonly args: readonly CelExpression[];
    }
  | { readonly op: "operator"; readonly sign: string; readonly args: readonly CelExpression[] }
  | { readonly op: "list"; readonly items: readonly Element[] }
  | { readonly op: "map"; readonly entries: readonly (Element & { readonly key: CelExpression })[] }
  | {
      readonly op: "macro";
      readonly macro: string;
      readonly range: CelExpression;
      readonly variables: readonly string[];
      readonly bodies: readonly CelExpression[];
    };

/** An element of a list or map. `?e` adds the value of an optional, if it has one. */
interface Element {
  readonly value: CelExpression;
  readonly isOptional: boolean;
}

const MAX_LENGTH = 20_000;
const MAX_DEPTH = 200;

/** Parses an expression. Throws CelUnsupported if it is not CEL. */
export function parseExpression(source: string): CelExpression {
  if (source.length > MAX_LENGTH) throw new CelUnsupported(`the expression is longer than ${MAX_LENGTH} characters`);
  const reader = new Reader(tokenize(source));
  const expression = reader.expression();
  reader.expectEnd();
  return expression;
}

/** Binary operators with their precedence, from the weakest. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ["||", 1],
  ["&&", 2],
  ...["<", "<=", ">", ">=", "==", "!=", "in"].map((sign) => [sign, 3] as const),
  ["+", 4],
  ["-", 4],
  ...["*", "/", "%"].map((sign) => [sign, 5] as const),
]);

/** Macros that are called on a range, with the number of variables and bodies that they may have. */
const MACROS: Readonly<Record<string, readonly (readonly [variables: number, bodies: number])[]>> = {
  all: [
    [1, 1],
    [2, 1],
  ],
  exists: [
    [1, 1],
    [2, 1],
  ],
  exists_one: [
    [1, 1],
    [2, 1],
  ],
  existsOne: [
    [1, 1],
    [2, 1],
  ],
  map: [
    [1, 1],
    [1, 2],
  ],
  filter: [[1, 1]],
  sortBy: [[1, 1]],
  transformList: [
    [2, 1],
    [2, 2],
  ],
  transformMap: [
    [2, 1],
    [2, 2],
  ],
  transformMapEntry: [
    [2, 1],
    [2, 2],
  ],
  optMap: [[1, 1]],
  optFlatMap: [[1, 1]],
};

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  expression(): CelExpression {
    if (++this.#depth > MAX_DEPTH) throw new CelUnsupported(`the expression is nested deeper than ${MAX_DEPTH} levels`);
    const condition = this.#binary(1);
    if (!this.#take("?")) {
      this.#depth--;
      return condition;
    }
    const then = this.#binary(1);
    this.#expect(":");
    const otherwise = this.expression();
    this.#depth--;
    return { op: "operator", sign: "?:", args: [condition, then, otherwise] };
  }

  expectEnd(): void {
    if (this.#next.type !== "end") this.#fail();
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #take(sign: string): boolean {
    const { type, text } = this.#next;
    if (text !== sign || !(type === "sign" || (sign === "in" && type === "name"))) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) this.#fail(`'${sign}'`);
  }

  #fail(expected = ""): never {
    const { text, at } = this.#next;
    const found = text === "" ? "the end" : `'${text}'`;
    throw new CelUnsupported(
      `syntax error at character ${at + 1}: found ${found}${expected === "" ? "" : `, expected ${expected}`}`,
    );
  }

  /** Operators of at least a precedence, from the left. */
  #binary(least: number): CelExpression {
    let left = this.#unary();
    for (;;) {
      const { type, text } = this.#next;
      const precedence = type === "sign" || type === "name" ? (PRECEDENCE.get(text) ?? 0) : 0;
      if (precedence < least) return left;
      this.#at++;
      left = { op: "operator", sign: text, args: [left, this.#binary(precedence + 1)] };
    }
  }

  #unary(): CelExpression {
    const { type, text: sign } = this.#next;
    if (type === "sign" && (sign === "!" || sign === "-")) {
      this.#at++;
      if (++this.#depth > MAX_DEPTH) throw new CelUnsupported("the expression is nested too deeply");
      const operand = this.#unary();
      this.#depth--;
      if (sign === "-" && operand.op === "literal" && typeof operand.value === "number")
        return { op: "literal", value: -operand.value };
      return { op: "operator", sign: sign === "-" ? "negate" : "!", args: [operand] };
    }
    return this.#member(this.#primary());
  }

  #member(start: CelExpression): CelExpression {
    let operand = start;
    for (;;) {
      if (this.#take(".")) operand = this.#afterDot(operand);
      else if (this.#take("[")) {
        const isOptional = this.#take("?");
        operand = { op: "index", operand, index: this.expression(), isOptional };
        this.#expect("]");
      } else if (this.#next.text === "{" && this.#next.type === "sign") {
        throw new CelUnsupported("messages cannot be built");
      } else return operand;
    }
  }

  #afterDot(operand: CelExpression): CelExpression {
    const isOptional = this.#take("?");
    const { type, text } = this.#next;
    if (type !== "name" && type !== "quoted name") this.#fail("a name");
    this.#at++;
    if (!isOptional && type === "name" && this.#take("(")) return methodCall(operand, text, this.#list(")"));
    return { op: "select", operand, field: text, isOptional };
  }

  #primary(): CelExpression {
    const { type, text } = this.#next;
    switch (type) {
      case "int":
        this.#at++;
        return { op: "literal", value: wholeNumber(text) };
      case "double":
        this.#at++;
        return { op: "literal", value: new CelDouble(Number(text)) };
      case "string":
        this.#at++;
        return { op: "literal", value: text };
      case "name":
        return this.#name();
      case "sign":
        return this.#bracket();
      case "quoted name":
      case "end":
        return this.#fail();
    }
  }

  #name(): CelExpression {
    const { text } = this.#next;
    this.#at++;
    if (text === "true" || text === "false") return { op: "literal", value: text === "true" };
    if (text === "null") return { op: "literal", value: null };
    if (text === "in") return this.#fail();
    if (!this.#take("(")) return { op: "name", name: text };
    const args = this.#list(")");
    if (text === "has") return hasMacro(args);
    return { op: "call", name: text, args };
  }

  #bracket(): CelExpression {
    if (this.#take("(")) {
      const inner = this.expression();
      this.#expect(")");
      return inner;
    }
    if (this.#take("[")) return { op: "list", items: this.#elements("]") };
    if (this.#take("{")) return { op: "map", entries: this.#entries() };
    if (this.#take(".")) return this.#name();
    return this.#fail();
  }

  #list(end: string): readonly CelExpression[] {
    const items: CelExpression[] = [];
    if (this.#take(end)) return items;
    do items.push(this.expression());
    while (this.#take(","));
    this.#expect(end);
    return items;
  }

  #elements(end: string): readonly Element[] {
    const items: Element[] = [];
    while (!this.#take(end)) {
      const isOptional = this.#take("?");
      items.push({ value: this.expression(), isOptional });
      if (!this.#take(",")) {
        this.#expect(end);
        break;
      }
    }
    return items;
  }

  #entries(): readonly (Element & { readonly key: CelExpression })[] {
    const entries: (Element & { readonly key: CelExpression })[] = [];
    while (!this.#take("}")) {
      const isOptional = this.#take("?");
      const key = this.expression();
      this.#expect(":");
      entries.push({ key, value: this.expression(), isOptional });
      if (!this.#take(",")) {
        this.#expect("}");
        break;
      }
    }
    return entries;
  }
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new CelUnsupported(`the number ${text} is too large`);
  return value;
}

function hasMacro(args: readonly CelExpression[]): CelExpression {
  const [argument] = args;
  if (args.length !== 1 || argument?.op !== "select") throw new CelUnsupported("has() takes a field: has(self.name)");
  return { op: "has", operand: argument.operand, field: argument.field };
}

function methodCall(target: CelExpression, name: string, args: readonly CelExpression[]): CelExpression {
  if (name === "bind" && target.op === "name" && target.name === "cel") return bindMacro(args);
  const shapes = Object.hasOwn(MACROS, name) ? MACROS[name] : undefined;
  const shape = shapes?.find(([variables, bodies]) => variables + bodies === args.length && areNames(args, variables));
  if (shape === undefined) return { op: "call", name, target, args };
  const [count] = shape;
  const variables = args.slice(0, count).map((arg) => (arg.op === "name" ? arg.name : ""));
  return {
    op: "macro",
    macro: name === "existsOne" ? "exists_one" : name,
    range: target,
    variables,
    bodies: args.slice(count),
  };
}

const areNames = (args: readonly CelExpression[], count: number): boolean =>
  args.slice(0, count).every(({ op }) => op === "name");

/** `cel.bind(x, value, expression)`. */
function bindMacro([variable, value, body]: readonly CelExpression[]): CelExpression {
  if (variable?.op !== "name" || value === undefined || body === undefined)
    throw new CelUnsupported("cel.bind() takes a name, a value and an expression");
  return { op: "macro", macro: "bind", range: value, variables: [variable.name], bodies: [body] };
}
