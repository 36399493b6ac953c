import { encodeBinary } from "./bytes.ts";
import { parseInt64, parseUint64 } from "./numbers.ts";
import { type CelExpression, type Element, treeDepth } from "./syntax-tree.ts";
import { type Token, tokenize } from "./tokenize.ts";
import { CelBytes, CelDouble, CelSyntaxError, CelTooLarge, CelUnsupported, type CelValue, RESERVED } from "./values.ts";

/** The limits of an expression. */
export interface ExpressionLimits {
  /** UTF-16 code units. */
  readonly maxLength: number;
  /** Levels of nesting, in brackets and in the syntax tree. */
  readonly maxDepth: number;
}

/** Parses an expression. Throws CelUnsupported if it is not CEL, or exceeds a limit. */
export function parseExpression(source: string, { maxLength, maxDepth }: ExpressionLimits): CelExpression {
  if (source.length > maxLength)
    throw new CelTooLarge(`the expression is ${source.length} characters long; at most ${maxLength} are allowed`);
  const tokens = tokenize(source);
  const reader = new Reader(tokens, maxDepth);
  const expression = reader.expression();
  reader.expectEnd();
  // Each level has a token of its own.
  if (tokens.length > maxDepth && treeDepth(expression) > maxDepth) throw tooDeep(maxDepth);
  return expression;
}

const tooDeep = (maxDepth: number): CelTooLarge =>
  new CelTooLarge(`the expression nests too deeply; at most ${maxDepth} levels are allowed`);

/** Binary operators with their precedence, from the weakest. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ["||", 1],
  ["&&", 2],
  ...["<", "<=", ">", ">=", "==", "!=", "in"].map((sign) => [sign, 3] as const),
  ["+", 4],
  ["-", 4],
  ...["*", "/", "%"].map((sign) => [sign, 5] as const),
]);

const KEYWORDS: ReadonlySet<string> = new Set(["true", "false", "null", "in"]);

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
  readonly #maxDepth: number;
  #at = 0;
  #depth = -1;

  constructor(tokens: readonly Token[], maxDepth: number) {
    this.#tokens = tokens;
    this.#maxDepth = maxDepth;
  }

  expression(): CelExpression {
    this.#deeper();
    const condition = this.#binary(1);
    const { at } = this.#next;
    if (!this.#take("?")) {
      this.#depth--;
      return condition;
    }
    const then = this.#binary(1);
    this.#expect(":");
    const otherwise = this.expression();
    this.#depth--;
    return { op: "operator", at, sign: "?:", args: [condition, then, otherwise] };
  }

  expectEnd(): void {
    if (this.#next.type !== "end") this.#fail();
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #deeper(): void {
    if (++this.#depth > this.#maxDepth) throw tooDeep(this.#maxDepth);
  }

  #take(sign: string): boolean {
    const { type, text } = this.#next;
    if (text !== sign || type !== "sign") return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) this.#fail(`, expected '${sign}'`);
  }

  #fail(expected = ""): never {
    const { type, text, at } = this.#next;
    throw new CelSyntaxError(`found ${type === "end" ? "the end" : `'${text}'`}${expected}`, at);
  }

  /** An operator without an operand is reported at the operator. */
  #failOperand(): never {
    const before = this.#tokens[this.#at - 1];
    const isOperator = before !== undefined && (PRECEDENCE.has(before.text) || "!?:".includes(before.text));
    if (!isOperator || before.type === "string" || before.type === "bytes") return this.#fail();
    const { type, text } = this.#next;
    throw new CelSyntaxError(`'${before.text}' is followed by ${type === "end" ? "the end" : `'${text}'`}`, before.at);
  }

  /** Operators of at least a precedence, from the left. */
  #binary(least: number): CelExpression {
    let left = this.#unary();
    for (;;) {
      const { type, text: sign, at } = this.#next;
      const precedence = type === "sign" || type === "name" ? (PRECEDENCE.get(sign) ?? 0) : 0;
      if (precedence < least) return left;
      this.#at++;
      const right = this.#binary(precedence + 1);
      const before = precedence <= 2 && left.op === "operator" && left.sign === sign ? left.args : [left];
      left = { op: "operator", at, sign, args: [...before, right] };
    }
  }

  /** `!!a` is `a`, and `--a` too, as in cel-go. The last `-` before a number belongs to the number. */
  #unary(): CelExpression {
    const { type, text: sign, at } = this.#next;
    if (type !== "sign" || (sign !== "!" && sign !== "-")) return this.#member(this.#primary());
    let count = 0;
    while (!this.#isNegativeNumber() && this.#take(sign)) count++;
    const isNumber = this.#isNegativeNumber() && this.#take("-");
    const operand = this.#member(isNumber ? this.#number("-") : this.#primary());
    if (count % 2 === 0) return operand;
    return { op: "operator", at, sign: sign === "-" ? "negate" : "!", args: [operand] };
  }

  #isNegativeNumber(): boolean {
    const { type, text } = this.#next;
    const after = this.#tokens[this.#at + 1]?.type;
    return type === "sign" && text === "-" && (after === "int" || after === "double");
  }

  #member(start: CelExpression): CelExpression {
    let operand = start;
    for (;;) {
      const { type, text, at } = this.#next;
      if (this.#take(".")) operand = this.#afterDot(operand, at);
      else if (this.#take("[")) {
        const isOptional = this.#take("?");
        operand = { op: "index", at, operand, index: this.expression(), isOptional };
        this.#expect("]");
      } else if (text === "{" && type === "sign") {
        throw new CelUnsupported("messages cannot be built here", at);
      } else return operand;
    }
  }

  #afterDot(operand: CelExpression, at: number): CelExpression {
    const isOptional = this.#take("?");
    const { type, text } = this.#next;
    if (type !== "name" && type !== "quoted name") this.#fail(", expected a name");
    if (type === "name" && KEYWORDS.has(text)) this.#failReserved();
    this.#at++;
    if (!isOptional && type === "name" && this.#take("(")) return methodCall(operand, text, this.#list(")"), at);
    return { op: "select", at, operand, field: text, isOptional };
  }

  #failReserved(): never {
    const { text, at } = this.#next;
    throw new CelSyntaxError(`'${text}' is a reserved word`, at);
  }

  #primary(): CelExpression {
    const { type, text, at } = this.#next;
    switch (type) {
      case "int":
      case "uint":
      case "double":
        return this.#number("");
      case "string":
        this.#at++;
        return { op: "literal", at, value: text };
      case "bytes":
        this.#at++;
        return { op: "literal", at, value: new CelBytes(encodeBinary(text)) };
      case "name":
        return this.#name(false);
      case "sign":
        return this.#bracket();
      case "quoted name":
      case "end":
        return this.#failOperand();
    }
  }

  #number(sign: "" | "-"): CelExpression {
    const token = this.#next;
    this.#at++;
    return { op: "literal", at: token.at, value: numberOf(token, sign) };
  }

  #name(isOuter: boolean): CelExpression {
    const { type, text, at } = this.#next;
    if (type !== "name") return this.#fail(", expected a name");
    if (text === "in" || (RESERVED.has(text) && !KEYWORDS.has(text))) return this.#failReserved();
    this.#at++;
    if (text === "true" || text === "false") return { op: "literal", at, value: text === "true" };
    if (text === "null") return { op: "literal", at, value: null };
    if (!this.#take("(")) return { op: "name", at, name: text, isOuter };
    const args = this.#list(")");
    return text === "has" ? hasMacro(args, at) : { op: "call", at, name: text, args };
  }

  #bracket(): CelExpression {
    const { at } = this.#next;
    if (this.#take("(")) {
      const inner = this.expression();
      this.#expect(")");
      return inner;
    }
    if (this.#take("[")) return { op: "list", at, items: this.#elements("]") };
    if (this.#take("{")) return { op: "map", at, entries: this.#entries() };
    if (this.#take(".")) return this.#name(true);
    return this.#failOperand();
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

function numberOf({ type, text, at }: Token, sign: "" | "-"): CelValue {
  if (type === "double") return new CelDouble(Number(sign + text));
  const digits = /^0[xX]/.test(text) ? String(BigInt(text)) : text;
  const value = type === "uint" ? parseUint64(digits) : parseInt64(sign + digits);
  if (value === undefined) throw new CelUnsupported(`${sign}${text} does not fit 64 bits`, at);
  return value;
}

function hasMacro(args: readonly CelExpression[], at: number): CelExpression {
  const [argument] = args;
  if (args.length !== 1 || argument?.op !== "select" || argument.isOptional)
    throw new CelUnsupported("has() takes a field, as in has(spec.limits)", at);
  return { op: "has", at, operand: argument.operand, field: argument.field };
}

function methodCall(target: CelExpression, name: string, args: readonly CelExpression[], at: number): CelExpression {
  if (name === "bind" && target.op === "name" && target.name === "cel") return bindMacro(args, at);
  const shapes = Object.hasOwn(MACROS, name) ? MACROS[name] : undefined;
  const shape = shapes?.find(([variables, bodies]) => variables + bodies === args.length && areNames(args, variables));
  if (shape === undefined) return { op: "call", at, name, target, args };
  const [count] = shape;
  const variables = args.slice(0, count).map((arg) => (arg.op === "name" ? arg.name : ""));
  const macro = name === "existsOne" ? "exists_one" : name;
  return { op: "macro", at, macro, range: target, variables, bodies: args.slice(count) };
}

const areNames = (args: readonly CelExpression[], count: number): boolean =>
  args.slice(0, count).every((arg) => arg.op === "name" && !arg.isOuter);

/** `cel.bind(x, value, expression)`. */
function bindMacro(args: readonly CelExpression[], at: number): CelExpression {
  const [variable, value, body] = args;
  if (args.length !== 3 || variable?.op !== "name" || value === undefined || body === undefined)
    throw new CelUnsupported("cel.bind() takes a name, a value and an expression", at);
  return { op: "macro", at, macro: "bind", range: value, variables: [variable.name], bodies: [body] };
}
