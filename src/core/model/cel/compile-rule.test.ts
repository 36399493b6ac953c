import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import type { MatchRegex } from "../regex.ts";
import { compileRule, newRuleFrame } from "./compile-rule.ts";

const matchRegex: MatchRegex = (pattern, text) => ({ state: "value", matches: new RegExp(pattern, "u").test(text) });
const evaluate = (expression: string, self: Json = {}, schema = {}) =>
  compileRule(expression, schema)(newRuleFrame(100_000, matchRegex), self);

describe("Kubernetes' CEL library", () => {
  test.each([
    "isIP('10.0.0.1') && !isIP('10.0.0.256') && isIP('::1') && !isIP('::ffff:1.2.3.4') && !isIP('01.2.3.4')",
    "ip('127.0.0.1').isLoopback() && ip('fe80::1').isLinkLocalUnicast() && ip('8.8.8.8').isGlobalUnicast()",
    "ip('::').family() == 6 && ip('0.0.0.0').isUnspecified() && ip.isCanonical('2001:db8::1')",
    "!ip.isCanonical('2001:DB8::1') && string(ip('2001:0db8:0::0001')) == '2001:db8::1'",
    "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0/33') && cidr('10.0.0.0/8').containsIP('10.1.2.3')",
    "!cidr('10.0.0.0/8').containsIP(ip('11.0.0.1')) && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
    "cidr('192.168.0.7/24').masked() == cidr('192.168.0.0/24') && cidr('::/0').prefixLength() == 0",
    "quantity('1.5Gi').isGreaterThan(quantity('1500Mi')) && quantity('500m').compareTo(quantity('0.5')) == 0",
    "isQuantity('20Mi') && !isQuantity('20MB') && quantity('1k').asInteger() == 1000 && quantity('1k').add(1).asInteger() == 1001",
    "isURL('https://example.com:80/a?b=c') && !isURL('../a') && url('https://u@[::1]:80/p').getHostname() == '::1'",
    "url('http://a.b/c%20d?x=1&x=2').getEscapedPath() == '/c%20d' && url('http://a.b/?x=1&x=2').getQuery()['x'] == ['1', '2']",
    "!format.dns1123Label().validate('a-b').hasValue() && format.dns1123Label().validate('A').hasValue()",
    "format.named('uuid').value().validate('x').hasValue() && !format.named('nothing').hasValue()",
    "!format.qualifiedName().validate('a.b/C_d').hasValue() && format.labelValue().validate('-a').hasValue()",
    "[1, 2, 2].isSorted() && [1, 2].sum() == 3 && [3, 1].min() == 1 && ['a', 'b'].max() == 'b' && [1, 2].indexOf(2) == 1",
    "'a,b'.split(',').join('-') == 'a-b' && 'Ab'.lowerAscii() == 'ab' && 'abc'.substring(1, 2) == 'b' && 'abc'.charAt(3) == ''",
    "'aXbX'.replace('X', '', 1) == 'abX' && 'abcb'.lastIndexOf('b') == 3 && ' a '.trim() == 'a'",
    "'%s has %d, %.2f'.format(['a', 2, 1.5]) == 'a has 2, 1.50'",
    "sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2]) && !sets.equivalent([1], [2])",
    "optional.of(1).orValue(2) == 1 && optional.none().orValue(2) == 2 && {'a': 1}.?b.orValue(3) == 3",
    "{'a': {'b': 1}}.?a.?b.hasValue() && [1][?3].orValue(0) == 0 && optional.of(2).optMap(x, x * 2).value() == 4",
    "[1, 2].all(i, v, v == i + 1) && {'a': 1}.exists(k, v, k == 'a' && v == 1) && [1, 2].transformList(i, v, i + v) == [1, 3]",
    "cel.bind(x, 2, x * x) == 4 && [2, 1].sortBy(x, x) == [1, 2] && [[1], [2]].flatten() == [1, 2]",
    "duration('1h30m') > duration('89m') && duration('1.5s').getMilliseconds() == 500",
    "timestamp('2026-01-01T00:00:00+01:00') < timestamp('2026-01-01T00:00:00Z')",
    "uint(5) == 5u && 5u in [5] && {1: 'a'}[1u] == 'a' && [1, 2].transformMap(i, v, v * 2)[1] == 4",
    "b'abc' == bytes('abc') && bytes('ü').size() == 2 && string(bytes('ü')) == 'ü'",
    "9223372036854775807 > 9007199254740993 && quantity('9E').asInteger() == 9000000000000000000",
    "'a'.matches('^a$') && 7 / 2 == 3 && -7 % 2 == -1 && 7.0 / 2.0 == 3.5 && 1 < 1.5",
  ])("%s", (expression) => {
    expect(evaluate(expression)).toEqual({ state: "value", value: true });
  });
});

test.each([
  ["no such key", "self.b == 1", { a: 1 }],
  ["a field of a string", "self.a.b == 1", { a: "x" }],
  ["an index outside of the list", "self.a[1] == 1", { a: [1] }],
  ["another type", "self.a + 1 == 2", { a: "x" }],
  ["no bool", "self.a && true", { a: 1 }],
  ["what only a prototype has", "self.constructor == 1", {}],
])("an error of CEL: %s", (_, expression, self) => {
  expect(evaluate(expression, self)).toMatchObject({ state: "error" });
});

test.each([
  ["an unknown function", "self.a.b()"],
  ["a function with other arguments", "isIP('a', 'b')"],
  ["an unknown name", "other == 1"],
  ["no CEL", "self.a == "],
  ["a string that does not end", "self.a == 'x"],
  ["too deep", `${"(".repeat(300)}1${")".repeat(300)}`],
  ["too long", `'${"x".repeat(30_000)}' == ''`],
  ["a long chain", `1${" + 1".repeat(3000)} == 3001`],
])("what cannot be evaluated is not known: %s", (_, expression) => {
  expect(evaluate(expression, { a: 1 })).toMatchObject({ state: "unknown" });
});

test("cost is counted: nested loops over a long list end soon", () => {
  const self = Array.from({ length: 10_000 }, (_, index) => index);
  expect(evaluate("self.all(a, self.all(b, self.exists(c, a + b == c)))", self)).toEqual({
    state: "unknown",
    message: "the rule costs too much",
  });
});

test("a string with a format is a timestamp or a duration", () => {
  const schema = {
    properties: { at: { type: "string", format: "date-time" }, list: { items: { format: "duration" } } },
  };
  const self = { at: "2026-01-01T00:00:00Z", list: ["60s", "1m"] };
  expect(
    evaluate(
      "self.at.getFullYear() == 2026 && self.list[0] == self.list[1] && self.list.all(d, d > duration('1s'))",
      self,
      schema,
    ),
  ).toEqual({ state: "value", value: true });
});
