/** Operators: each is compiled to a function of its operands. */
import { isEqual } from "./equality.ts";
import {
  absorbed,
  type CelScope,
  type Compile,
  type Compiled,
  compiled,
  type Frame,
  pay,
  type Run,
  truth,
} from "./frame.ts";
import { add, compare, divide, isIn, lenient, modulo, multiply, negate, subtract } from "./operators.ts";
import type { CelNode } from "./syntax-tree.ts";
import { CelBytes, CelError, CelOverload, type CelValue, isList, located, typeOf } from "./values.ts";

type Binary = (a: CelValue, b: CelValue, frame: Frame) => CelValue;

const BINARY: Readonly<Record<string, Binary>> = {
  "==": isEqual,
  "!=": (a, b, frame) => !isEqual(a, b, frame),
  "<": (a, b) => compare(a, b) < 0,
  "<=": (a, b) => compare(a, b) <= 0,
  ">": (a, b) => compare(a, b) > 0,
  ">=": (a, b) => compare(a, b) >= 0,
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": modulo,
  in: isIn,
};

/** Arithmetic of rules, where a whole number may be a double. */
const LENIENT: Readonly<Record<string, Binary>> = {
  ...BINARY,
  "+": lenient(add),
  "-": lenient(subtract),
  "*": lenient(multiply),
  "/": lenient(divide),
};

export function compileOperator({ sign, args, at }: CelNode<"operator">, scope: CelScope, compile: Compile): Compiled {
  const parts = args.map((arg) => compile(arg, scope));
  const runs = parts.map(({ run }) => run);
  const [first, second, third] = runs as [Run, Run, Run];
  const offsets = args.map((arg) => arg.at);
  const offset = offsets[0] as number;
  switch (sign) {
    case "&&":
      return compiled((frame) => logical(runs, offsets, frame, false), parts);
    case "||":
      return compiled((frame) => logical(runs, offsets, frame, true), parts);
    case "?:":
      return compiled((frame) => (truth(first(frame), offset) ? second(frame) : third(frame)), parts);
    case "!":
      return compiled(unary("!", first, at, not), parts);
    case "negate":
      return compiled(unary("-", first, at, negate), parts);
  }
  return compiled(binary(sign, first, second, at, scope), parts);
}

function not(value: CelValue): boolean {
  if (typeof value !== "boolean") throw new CelOverload();
  return !value;
}

function unary(sign: string, operand: Run, at: number, compute: (value: CelValue) => CelValue): Run {
  return (frame) => {
    const value = operand(frame);
    try {
      return compute(value);
    } catch (thrown) {
      const error = thrown instanceof CelOverload ? new CelError(`no such overload: ${sign}${typeOf(value)}`) : thrown;
      throw located(error, at);
    }
  };
}

function binary(sign: string, first: Run, second: Run, at: number, { isRule }: CelScope): Run {
  const compute = (isRule ? LENIENT : BINARY)[sign] as Binary;
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    if (typeof b !== "number") payForOperands(a, b, frame);
    try {
      return compute(a, b, frame);
    } catch (thrown) {
      const error =
        thrown instanceof CelOverload ? new CelError(`no such overload: ${typeOf(a)} ${sign} ${typeOf(b)}`) : thrown;
      throw located(error, at);
    }
  };
}

/** Characters are read 64 for a unit of cost; items of lists are copied 8 for a unit. */
function payForOperands(a: CelValue, b: CelValue, frame: Frame): void {
  if (typeof b === "string") pay(frame, b.length >> 6);
  else if (isList(b)) pay(frame, b.length >> 3);
  else if (b instanceof CelBytes) pay(frame, b.bytes.length >> 3);
  if (typeof a === "string") pay(frame, a.length >> 6);
  else if (isList(a)) pay(frame, a.length >> 3);
}

/** `&&` and `||`: each side alone can decide, also if other sides are errors. If none does, the first error is the result. */
function logical(runs: readonly Run[], offsets: readonly number[], frame: Frame, decisive: boolean): boolean {
  let error: CelError | undefined;
  for (let i = 0; i < runs.length; i++) {
    try {
      if (truth((runs[i] as Run)(frame), offsets[i] as number) === decisive) return decisive;
    } catch (thrown) {
      const other = absorbed(thrown, frame);
      error ??= other;
    }
  }
  if (error !== undefined) throw error;
  return !decisive;
}
