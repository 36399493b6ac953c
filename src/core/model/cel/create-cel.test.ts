import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConditionOutcome } from "../cel.ts";
import type { MatchRegex } from "../regex.ts";
import { type CelOptions, createCel } from "./create-cel.ts";

/** Stands in for the regular expression adapter; only ever given harmless patterns. */
const matchRegex: MatchRegex = (pattern, text) => {
  try {
    return { state: "value", matches: new RegExp(pattern, "u").test(text) };
  } catch {
    return { state: "error", message: `faulty pattern ${pattern}` };
  }
};

const numbers = Array.from({ length: 200 }, (_, at) => at);

const spec = {
  n: 7,
  x: 1.5,
  zero: 0,
  big: 1e20,
  text: "hello",
  flag: true,
  nothing: null,
  list: [3, 1, 2],
  mixed: [1, 1.5, "a", null, { a: 1 }, [1]],
  rates: [{ limit: 100 }, { limit: 10 }],
  sizes: { b: 2, a: 1 },
  "a-b": 1,
  numbers,
};
const self = { kind: "RateLimitPolicy", metadata: { name: "p1" }, spec };

const evaluate = createCel({ matchRegex, weighPattern: (pattern) => pattern.length });
const on = (expression: string, over: unknown = spec): ConditionOutcome =>
  evaluate(expression, { spec: over, self: { ...self, spec: over } });

const IS_TRUE: ConditionOutcome = { state: "value", value: true };
const IS_FALSE: ConditionOutcome = { state: "value", value: false };
const missing = (part: string): unknown => ({ state: "missing", message: expect.stringContaining(part) });
const error = (part: string): unknown => ({ state: "error", message: expect.stringContaining(part) });

describe("RFC 0009", () => {
  const atMost50 = "spec.rules.authentication.a > 50";
  const ratesAtMost50 = "spec.limits.a.rates.exists(r, r.limit > 50)";
  const rates = [
    { limit: 100, duration: 1, unit: "minute" },
    { limit: 10000, duration: 1, unit: "day" },
  ];
  test.each([
    ["E1: a constraint the lower policy meets", atMost50, { rules: { authentication: { a: 30, b: 120 } } }, IS_FALSE],
    [
      "E2: a constraint the lower policy violates",
      atMost50,
      { rules: { authentication: { a: 100, b: 120 } } },
      IS_TRUE,
    ],
    ["E3: the granularity is the named rule", ratesAtMost50, { limits: { a: { rates }, b: {} } }, IS_TRUE],
    ["the rule is not there", atMost50, { rules: { authentication: {} } }, missing("spec.rules.authentication.a")],
    ["nothing is there", ratesAtMost50, {}, missing("spec.limits")],
    ["a rule of another type does not pass for none", ratesAtMost50, { limits: { a: "none" } }, error("is string")],
    ["nor does a limit of another type", atMost50, { rules: { authentication: { a: "30" } } }, error("string > int")],
  ])("%s", (_name, expression, over, outcome) => {
    expect(on(expression, over)).toEqual(outcome);
  });

  test("self is the whole policy", () => {
    expect(on("self.metadata.name == 'p1' && self.spec.n == spec.n")).toEqual(IS_TRUE);
  });
});

describe("what is true", () => {
  test.each([
    "spec.n + 1 == 8",
    "spec.n / 2 == 3",
    "spec.n % 2 == 1",
    "-spec.n == -7",
    "spec.n > 1.5",
    "spec.x > 1",
    "spec.n == 7.0",
    "spec.n == 7u",
    "spec.big > 50",
    "type(spec.n) == int",
    "type(spec.x) == double",
    "double(spec.n) * 0.5 == 3.5",
    "spec.text.startsWith('he') && spec.text.endsWith('lo') && spec.text.contains('ell')",
    "spec.text + '!' == 'hello!'",
    "size('😀') == 1",
    "string(spec.n) == '7'",
    "int('12') == 12 && double('-1.5e1') == -15.0 && uint('3') == 3u",
    "double('Inf') > 1e300",
    "spec.text.matches('^h.*o$')",
    "matches(spec.text, 'ell')",
    "spec.list.exists(i, i == 3)",
    "spec.list.all(i, i > 0)",
    "spec.list.exists_one(i, i == 1)",
    "spec.list.filter(i, i > 1) == [3, 2]",
    "spec.list.map(i, i * 2) == [6, 2, 4]",
    "spec.list.map(i, i > 1, i * 2) == [6, 4]",
    "spec.list.map(i, spec.list.map(j, i * j)) == [[9, 3, 6], [3, 1, 2], [6, 2, 4]]",
    "(spec.list + [4]).size() == 4",
    "spec.list[0] == 3 && spec.list[2u] == 2 && spec.list[1.0] == 1",
    "spec.sizes.all(k, spec.sizes[k] > 0)",
    "spec.sizes.map(k, k) == ['a', 'b']",
    "spec.sizes == {'a': 1, 'b': 2.0}",
    "spec.mixed == [1, 1.5, 'a', null, {'a': 1}, [1]]",
    "spec['a-b'] == 1",
    "{1: 'a', true: 'b', 'c': 3u}[1] == 'a'",
    "'n' in spec && !('zz' in spec)",
    "2 in spec.list && !(9 in spec.list) && {'a': 1} in spec.mixed",
    "has(spec.n) && !has(spec.zz)",
    "spec.flag ? spec.n == 7 : spec.zz",
    "(spec.n > 3 ? spec.sizes : spec.rates).a == 1",
    "spec.nothing == null",
    "has(spec.nothing) && 'nothing' in spec",
    "duration('1h30m') > duration('89m')",
    "duration('90s').getMinutes() == 1",
    "timestamp('2026-11-16T12:00:00Z') + duration('24h') == timestamp('2026-11-17T12:00:00Z')",
    "timestamp(0) == timestamp('1970-01-01T00:00:00Z')",
    "timestamp('2026-11-16T23:30:00Z').getDate('+01:00') == 17",
    "timestamp('2026-12-31T00:00:00Z').getDayOfYear() == 364",
    "type(duration('1s')) == google.protobuf.Duration",
    "b'abc' == bytes('abc')",
    ".spec.n == 7",
    "spec.list.all(spec, spec < 4)",
    "true // a comment\n",
  ])("%s", (expression) => {
    expect(on(expression)).toEqual(IS_TRUE);
  });
});

describe("Kubernetes' library, and more of CEL than most conditions need", () => {
  test.each([
    "isIP('10.0.0.1') && cidr('10.0.0.0/8').containsIP('10.1.2.3') && quantity('1Gi').isGreaterThan(quantity('1G'))",
    "[1, 2, 3].isSorted() && spec.list.sum() == 6 && spec.list.max() == 3 && spec.text.upperAscii() == 'HELLO'",
    "spec.?zz.orValue(1) == 1 && spec.sizes.?a.orValue(5) == 1 && spec.list.all(i, v, i < 3 && v > 0)",
    "spec.`a-b` == 1 && cel.bind(n, spec.n, n * n) == 49",
    "9223372036854775807 - 1 == 9223372036854775806 && -9223372036854775808 < -9007199254740993",
    "9007199254740991 + 2 == 9007199254740993 && 9007199254740993 - 2 == 9007199254740991",
    "18446744073709551615u > 9223372036854775807 && 2u + 3u == 5u && 7u / 2u == 3u && 7u % 4u == 3u",
    "{1: 'a', 2u: 'b', true: 'c'}[2] == 'b' && 1.0 in {1: 'a'} && !(3 in {1: 'a'}) && {2: 1, 'x': 2}.x == 2",
    "{1: 2, 'a': 3} == {'a': 3.0, 1u: 2} && {1: 2} != {1: 3} && {1: 2}.exists(k, k == 1)",
    "b'a\\xff' + b'b' == b'a\\377b' && size(b'ü') == 2 && string(b'\\xc3\\xbc') == 'ü' && b'a' < b'b'",
    "[0.0 / 0.0].all(x, x != x) && 1.0 / 0.0 > 1e300 && -1.0 / 0.0 < 0.0",
    "spec.n == 7 ? [1].all(spec, .spec.n == 7) : false",
    "!!spec.flag && --spec.n == 7 && !!!(spec.n == 8)",
  ])("%s", (expression) => {
    expect(on(expression)).toEqual(IS_TRUE);
  });

  test("a name is as it is written: escapes are for the rules of CRDs", () => {
    expect(on("spec.a__dash__b == 1")).toEqual(missing("spec.a__dash__b"));
  });
});

describe("absorbing errors, as CEL has it", () => {
  test.each([
    ["spec.zz > 1 || true", IS_TRUE],
    ["true || spec.zz > 1", IS_TRUE],
    ["false && spec.zz > 1", IS_FALSE],
    ["spec.zz > 1 && false", IS_FALSE],
    ["spec.text > 1 || true", IS_TRUE],
    ["[{}, {'l': 9}].exists(r, r.l > 5)", IS_TRUE],
    ["[{}, {'l': 1}].all(r, r.l > 5)", IS_FALSE],
    ["!has(spec.zz.b)", missing("spec.zz")],
  ])("%s", (expression, outcome) => {
    expect(on(expression)).toEqual(outcome);
  });
});

describe("what is missing", () => {
  test.each([
    ["a key", "spec.zz > 1", "no such key: spec.zz"],
    ["a key by index", "spec['zz'] > 1", 'no such key: spec["zz"]'],
    ["a key of another type", "spec[1] > 1", "no such key: spec[1]"],
    ["an index past the end", "spec.list[3] > 1", "no such index: spec.list[3]"],
    ["a negative index", "spec.list[-1] > 1", "no such index: spec.list[-1]"],
    ["a key below null", "spec.nothing.a > 1", "spec.nothing is null"],
    ["in every item", "[{}, {}].exists(r, r.l > 5)", "no such key: r.l"],
    ["on both sides", "spec.zz > 1 || spec.yy > 1", "no such key: spec.zz"],
    ["what only a prototype has", "spec.constructor == 1", "spec.constructor"],
    ["what only a prototype has, deeper", "self.metadata.toString == 1", "self.metadata.toString"],
    ["the prototype itself", "spec.__proto__ == 1", "spec.__proto__"],
    ["a list's length", "spec['list'].filter(i, i > 9)[0] == 1", "no such index: [0]"],
  ])("%s", (_name, expression, part) => {
    expect(on(expression)).toEqual(missing(part));
  });
});

describe("what is an error", () => {
  test.each([
    ["no bool", "spec.n", "must give a bool; this one gave int"],
    ["no bool, but a list", "spec.list", "this one gave list"],
    ["nothing", "", "syntax error: 1:1"],
    ["syntax", "spec.n >", "syntax error: 1:8"],
    ["syntax on another line", "spec.n > 1\n  && ]", "syntax error: 2:3"],
    ["a reserved word", "spec.in", "reserved"],
    ["an unknown name", "true || sepc.n > 1", "1:9: unknown name 'sepc'; here there are spec, self"],
    ["an unknown function", "true || spec.n.foo()", "1:15: no function 'foo' that takes 0 arguments"],
    ["a function with too much", "size(spec.n, 1) == 1", "no function 'size' that takes 2 arguments"],
    ["has() of no field", "has(spec)", "has() takes a field"],
    ["types", "spec.n +\n 'a' == 'b'", "1:8: no such overload: int + string"],
    ["types in a method", "spec.n.startsWith('a')", "no such overload: int.startsWith(string)"],
    ["types in a prefix", "!spec.n", "no such overload: !int"],
    ["an integer and a double", "spec.n * 1.5 > 1.0", "int * double"],
    ["a condition that is no bool", "spec.n ? true : false", "1:5: a bool is needed here, not int"],
    ["a conjunct that is no bool", "spec.text && true", "a bool is needed here, not string"],
    ["an item that is no bool", "spec.list.all(i, i)", "a bool is needed here, not int"],
    ["a field of a string", "spec.text.a == 1", "spec.text is string and has no .a"],
    ["has() of a string", "has(spec.text.a)", "spec.text is string and has no .a"],
    ["a field of a list", "spec.list.a == 1", "spec.list is list and has no .a"],
    ["a name as an index", "spec.list['a'] == 1", "string cannot be the key of a list"],
    ["iterating over a number", "spec.n.all(i, true)", "cannot iterate over int"],
    ["division by zero", "1 / spec.zero == 1", "1:3: int divide by zero"],
    ["modulus by zero", "1 % spec.zero == 1", "modulus by zero"],
    ["overflow", "9223372036854775807 + spec.n > 0", "overflow"],
    ["a literal beyond 64 bits", "9223372036854775808 > 0", "does not fit 64 bits"],
    ["a conversion", "int('') == 0", '"" is not a valid int'],
    ["a conversion that JavaScript would do", "int('0x10') == 16", "not a valid int"],
    ["a double that is none", "double('') == 0.0", "not a valid double"],
    ["a timestamp that is none", "timestamp('today') == timestamp(0)", "timestamp"],
    ["a time zone by name", "timestamp(0).getHours('Europe/Berlin') == 1", "named zones differ between machines"],
    ["a key twice", "{'a': 1, 'a': 2}.a == 1", 'the key "a" twice'],
    ["a key that cannot be one", "{1.5: 1}.size() == 1", "double cannot be the key"],
    ["a message", "google.protobuf.Duration{seconds: 1} == duration('1s')", "cannot be built here"],
    ["a pattern", "spec.text.matches('(a')", "faulty pattern"],
    ["an internal function", "@tick(1)", "syntax error"],
    ["overflow of a product", "9223372036854775807 * 2 > 0", "1:21: int overflow in *"],
    ["overflow below", "-9223372036854775808 - 1 < 0", "int overflow"],
    ["overflow of the least int", "-(-9223372036854775808) > 0", "int overflow"],
    ["an unsigned integer below zero", "1u - 2u == 0u", "uint overflow"],
    ["an int and an unsigned integer", "1u + 1 == 2u", "uint + int"],
    ["bytes that are no text", "string(b'\\xff') == ''", "not UTF-8"],
    ["a list in a map", "[1] in {'a': 1}", "list in map"],
    ["prefixes that CEL does not mix", "!-spec.n", "syntax error: 1:1"],
    ["a day that does not exist", "timestamp('2026-02-30T00:00:00Z') > timestamp(0)", "invalid timestamp"],
    ["what has no order", "[[1], [2]].sort() == []", "sort() cannot compare list and list"],
  ])("%s", (_name, expression, part) => {
    expect(on(expression)).toEqual(error(part));
  });

  test.each([
    ["on the other side", "spec.zz > 1 || spec.text + 1 == 2"],
    ["among items", "[{}, {'l': 'x'}, {}].exists(r, r.l > 5)"],
    ["in a condition", "spec.zz > 1 || (spec.n ? true : false)"],
    ["in a conjunct", "spec.zz > 1 && spec.text"],
    ["in a range", "spec.zz > 1 || spec.text.all(c, true)"],
  ])("a missing key does not hide another error: %s", (_name, expression) => {
    expect(on(expression)).toMatchObject({ state: "error" });
  });

  test("matches() without a matcher", () => {
    expect(createCel()("spec.text.matches('a')", { spec, self })).toEqual(error("no regular expression matcher"));
  });
});

describe("hostile input", () => {
  test("own keys named like members of a prototype are data", () => {
    const over: unknown = JSON.parse('{"__proto__": {"a": 1}, "constructor": {"prototype": 2}, "toString": 3}');
    expect(on("has(spec.__proto__) && spec.__proto__.a == 1", over)).toEqual(IS_TRUE);
    expect(on("spec.constructor.prototype == 2 && spec.toString == 3", over)).toEqual(IS_TRUE);
    expect(on("spec.map(k, k) == ['__proto__', 'constructor', 'toString']", over)).toEqual(IS_TRUE);
    expect(on("spec.a == 1", over)).toEqual(missing("spec.a"));
  });

  test("the order in which keys were written does not matter", () => {
    const expression = "spec.map(k, k)[0] == 'a' && spec == self.other";
    const outcomes = [
      { spec: { b: 1, a: 2 }, self: { other: { a: 2, b: 1 } } },
      { spec: { a: 2, b: 1 }, self: { other: { b: 1, a: 2 } } },
    ].map((bindings) => evaluate(expression, bindings));
    expect(outcomes).toEqual([IS_TRUE, IS_TRUE]);
  });

  test("nesting 10,000 deep", () => {
    const nest = (wrap: (inner: unknown) => unknown): unknown => numbersTo(10_000).reduce<unknown>(wrap, 1);
    const over = { map: nest((a) => ({ a })), again: nest((a) => ({ a })), list: nest((item) => [item]) };
    expect(on("spec.map.a.a == spec.again.a.a", over)).toEqual(IS_TRUE);
    expect(on("spec.map == spec.again.a", over)).toEqual(IS_FALSE);
    expect(on("spec.list[0][0].size() == 1", over)).toEqual(IS_TRUE);
    expect(on("spec.list == spec.list[0]", over)).toEqual(IS_FALSE);
  });

  test("values that contain themselves", () => {
    const over: { [key: string]: unknown } = {};
    over["a"] = over;
    over["list"] = [over];
    expect(on("spec.a.a == spec && spec.list[0].list == spec.list", over)).toEqual(IS_TRUE);
  });

  test("what is not JSON counts as null, or as not there", () => {
    expect(evaluate("spec == null && self == null", { spec: undefined, self: Symbol("a") })).toEqual(IS_TRUE);
    expect(on("has(spec.a)", { a: undefined })).toEqual(IS_FALSE);
    expect(on("spec.a == null", { a: () => 1 })).toEqual(IS_TRUE);
  });

  test("input is read and never written", () => {
    const over = deepFreeze({ list: [1, [2, { a: 3 }]], map: { b: { c: 1 } } });
    expect(on("spec.list.map(i, i).size() == 2 && spec.map.map(k, spec.map[k]) == [{'c': 1}]", over)).toEqual(IS_TRUE);
  });

  test("any text and any JSON give an outcome, and the same one twice", () => {
    const fragments =
      "spec self .a [0] ( ) { } 'a' 1 1.5 + && ? : .all(x, x , ! - in == .size() .map(y, .matches( null has( // ' \"";
    const fragment = fc.constantFrom(...fragments.split(" "));
    const expressions = fc.oneof(
      fc.string(),
      fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join(" ")),
    );
    fc.assert(
      fc.property(expressions, fc.jsonValue(), (expression, over) => {
        const first = on(expression, over);
        expect(["value", "missing", "error"]).toContain(first.state);
        expect(on(expression, over)).toEqual(first);
      }),
      { numRuns: 500, seed: 713 },
    );
  });
});

describe("limits", () => {
  test.each([
    ["length", `${"true && ".repeat(1000)}true`, "at most 4096 are allowed"],
    ["brackets", `${"(".repeat(101)}true${")".repeat(101)}`, "at most 100 levels"],
    ["brackets that never close", "(".repeat(4000), "at most 100 levels"],
    ["brackets behind strings that look like their end", "(')'+".repeat(800), "at most 100 levels"],
    ["brackets behind raw strings", String.raw`(r"\"+`.repeat(600), "at most 100 levels"],
    ["a long chain", `1${" + 1".repeat(200)} == 1`, "at most 100 levels"],
    ["a long run of prefixes", `${"-(".repeat(150)}1${")".repeat(150)} == 1`, "at most 100 levels"],
    ["a long path", `spec${".a".repeat(200)} == 1`, "at most 100 levels"],
  ])("%s", (_name, expression, part) => {
    expect(on(expression)).toEqual(error(part));
  });

  test("a long run of spaces or slashes is read once", () => {
    expect(on(`${" ".repeat(4000)}@`)).toEqual(error("syntax error: 1:4001"));
    expect(on(`${"/".repeat(4000)}\n@`)).toEqual(error("syntax error: 2:1"));
  });

  test("what is well within them", () => {
    expect(on(`${"(".repeat(90)}true${")".repeat(90)}`)).toEqual(IS_TRUE);
    expect(on(`true${" && true".repeat(400)}`)).toEqual(IS_TRUE);
    expect(on(`1${" + 1".repeat(80)} == 81`)).toEqual(IS_TRUE);
    expect(on(`'${"(".repeat(500)}' != ''`)).toEqual(IS_TRUE);
    expect(on("spec.numbers.all(a, spec.numbers.exists(b, b >= a) || a < 0)", { numbers: numbersTo(50) })).toEqual(
      IS_TRUE,
    );
  });

  test("are options", () => {
    const outcome = (options: CelOptions): ConditionOutcome =>
      createCel(options)("spec.list.all(i, (i > 0))", { spec, self });
    expect(outcome({})).toEqual(IS_TRUE);
    expect(outcome({ maxExpressionLength: 10 })).toEqual(error("at most 10 are allowed"));
    expect(outcome({ maxDepth: 1 })).toEqual(error("at most 1 levels"));
    expect(outcome({ maxCost: 20 })).toEqual(error("more than 20 units"));
  });
});

describe("the cost bound stops", () => {
  const doubling = (start: string, step: string, times: number): string => start + `.map(a, ${step})`.repeat(times);
  test.each([
    ["loops in loops", "spec.numbers.all(a, spec.numbers.all(b, spec.numbers.all(c, a + b + c >= 0)))"],
    [
      "loops that find nothing",
      "spec.numbers.exists(a, spec.numbers.exists(b, spec.numbers.exists(c, a + b + c < 0)))",
    ],
    ["lists of lists of lists", "spec.numbers.map(a, spec.numbers.map(b, spec.numbers.map(c, c))).size() == 0"],
    ["loops that only err", "spec.numbers.all(a, spec.numbers.all(b, spec.numbers.all(c, spec.zz)))"],
    ["loops behind an error", "spec.numbers.all(a, spec.numbers.all(b, spec.numbers.all(c, spec.zz || true)))"],
    ["early ends over long ranges", "spec.long.all(a, spec.long.exists(b, true))"],
    ["strings that double", `${doubling("['a']", "a + a", 60)}[0].size() > 1`],
    ["lists that double", `${doubling("[[1]]", "a + a", 60)}[0].size() > 1`],
    ["comparing values that double", `${doubling("[[1]]", "[a, a]", 40)} == ${doubling("[[1]]", "[a, a]", 40)}`],
    ["searching", "spec.numbers.all(a, spec.text.contains(spec.part))"],
    ["comparing long strings", "spec.numbers.all(a, spec.text + 'a' > spec.text)"],
    ["membership", "spec.long.all(a, !(-1 in spec.long))"],
    ["numeric keys of large maps", "spec.numbers.all(a, spec.numbers.all(b, !(a in spec.large)))"],
    ["matching", "spec.numbers.all(a, spec.text.matches('^a'))"],
    ["replacing", "spec.text.replace('a', spec.text).size() > 0"],
    ["replacing nothing in a text of twice the length", "(spec.text + spec.text).replace('', spec.text).size() > 0"],
    ["merging maps", "spec.long.transformMapEntry(i, v, spec.large).size() > 0"],
    ["joining", "spec.long.map(a, spec.part).join(spec.text).size() > 0"],
    ["formatting", `'${"%s".repeat(6)}'.format([${Array(6).fill("spec.long").join()}]).size() > 0`],
    ["sorting", "spec.numbers.all(a, spec.long.sort().size() > 0)"],
    ["comparing each with each", "spec.long.distinct().size() > 0"],
    ["sets", "sets.contains(spec.long, spec.long)"],
    ["keys in order", "spec.numbers.all(a, spec.large.exists(k, true))"],
    ["ranges", "spec.numbers.all(a, lists.range(10000).size() > 0)"],
    ["deep lists", "spec.numbers.all(a, spec.deep.flatten(100000).size() > 0)"],
    ["searching from the end", "spec.numbers.all(a, spec.text.lastIndexOf(spec.part) < 0)"],
    [
      "ever new patterns",
      "spec.numbers.all(a, spec.numbers.all(b, '1'.matches(string(a * 200 + b) + 'abcdefghijkl') || true))",
    ],
  ])("%s", (_name, expression) => {
    const over = {
      numbers,
      long: numbersTo(20_000),
      text: "a".repeat(100_000),
      part: `${"a".repeat(5000)}b`,
      deep: numbersTo(10_000).reduce<unknown>((inner) => [inner], 1),
      large: Object.fromEntries(numbersTo(5000).map((at) => [`k${at}`, at])),
    };
    const started = performance.now();
    const outcome = on(expression, over);
    const elapsedMs = performance.now() - started;
    expect(outcome).toEqual(error("the expression costs more than 100000 units here"));
    // The bound itself is counted; this only says that the count means something. It takes a fraction of this.
    expect(elapsedMs).toBeLessThan(3000);
  });

  test("and the next evaluation starts afresh", () => {
    const all = "spec.all(a, spec.all(b, spec.all(c, a + b + c >= 0)))";
    expect(on(all, numbers)).toMatchObject({ state: "error" });
    expect(on(all, numbersTo(3))).toEqual(IS_TRUE);
    expect(on("spec.a > 1", {})).toEqual(missing("spec.a"));
  });

  test("at the same point whenever it is asked", () => {
    const expression = "spec.all(a, a >= 0)";
    const holdsUpTo = numbersTo(40).filter((length) => {
      const limited = createCel({ maxCost: 100 });
      const outcomes = [1, 2].map(() => limited(expression, { spec: numbersTo(length), self: null }));
      expect(outcomes[1]).toEqual(outcomes[0]);
      return outcomes[0]?.state === "value";
    });
    expect(holdsUpTo).toEqual(numbersTo(holdsUpTo.length));
    expect(holdsUpTo.length).toBeGreaterThan(5);
    expect(holdsUpTo.length).toBeLessThan(40);
  });
});

describe("the cache", () => {
  test("gives the outcome of a fresh evaluation, also when it is full", () => {
    const tiny = createCel({ cacheSize: 2 });
    const expressions = ["spec.n > 1", "spec.n >", "spec.zz", "spec.n", "spec.list.map(i, i) == spec.list"];
    const round = (): ConditionOutcome[] => expressions.map((expression) => tiny(expression, { spec, self }));
    const first = round();
    expect(round()).toEqual(first);
    expect(first).toEqual(expressions.map((expression) => createCel()(expression, { spec, self })));
  });

  test("does not remember what an expression was evaluated on", () => {
    expect(on("spec.n > 5", { n: 9 })).toEqual(IS_TRUE);
    expect(on("spec.n > 5", { n: 1 })).toEqual(IS_FALSE);
    const over = { n: 1 };
    expect(on("spec.n > 5", over)).toEqual(IS_FALSE);
    over.n = 9;
    expect(on("spec.n > 5", over)).toEqual(IS_TRUE);
  });
});

test("the machine's time zone does not show", () => {
  // Run with TZ=Europe/Berlin, where 02:30 does not exist on that day: a reading by way of local time gives 3.
  expect(on("timestamp('2024-03-31T02:30:00Z').getHours() == 2")).toEqual(IS_TRUE);
  expect(on("timestamp('0050-03-01T00:00:00Z').getDayOfYear() == 59")).toEqual(IS_TRUE);
});

function numbersTo(length: number): number[] {
  return Array.from({ length }, (_, at) => at);
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
