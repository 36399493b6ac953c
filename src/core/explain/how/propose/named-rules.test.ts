import { describe, expect, test } from "vitest";
import { ask, kindWith, retry, short, testCrd, testPolicy } from "../../../../../test/support/cluster/ask-how.ts";
import { gateway, route, service } from "../../../../../test/support/cluster/gateway-objects.ts";
import type { JsonObject } from "../../../model/json.ts";

/** Policies of this kind can target named rules, and no object has its settings itself. */
const kinds = [kindWith("Field")];
const bakery = (...names: readonly (string | undefined)[]): readonly JsonObject[] => [
  gateway("g"),
  route("r", "Gateway/g", {
    rules: names.map((name) => ({ ...(name === undefined ? {} : { name }), backends: ["s"] })),
  }),
  service("s"),
];
const changesFor = (objects: readonly JsonObject[], target: string, size: number) =>
  ask(objects, target, { size }, kinds).kinds.flatMap(({ changes }) => changes);

describe("a rule without a name gets one where that makes the reach smaller", () => {
  test("a new policy on the rule", () => {
    const [first, ...others] = changesFor(
      [...bakery("one", undefined), testPolicy("house", "Gateway/g", { defaults: { size: 3 } })],
      "httproute/r#rule-2",
      9,
    );
    expect(first === undefined ? "" : short(first)).toBe("NameRule r, CreatePolicy r-rule-2-size defaults +0");
    expect(others.map(short).every((text) => !text.includes("NameRule") && !text.endsWith("+0"))).toBe(true);
    expect(first?.steps.map(({ summary }) => summary)).toEqual([
      "Give rule 2 of HTTPRoute default/r the name rule-2",
      "Create a TestPolicy on HTTPRoute default/r#rule-2 that sets size to 9 as a default",
    ]);
    const manifests = first?.objects.map(({ manifest }) => manifest["spec"]);
    expect(manifests).toMatchObject([
      { rules: [{ name: "one" }, { name: "rule-2" }] },
      { targetRefs: [{ name: "r", sectionName: "rule-2" }] },
    ]);
    expect(first?.objects.map(({ change }) => change)).toEqual(["changed", "created"]);
  });

  test("the targets of a policy of the route: the other rules instead of all", () => {
    const crd = testCrd({}, ["overrides"]);
    const house = testPolicy("house", "HTTPRoute/r", { overrides: { size: 3 } });
    const mine = testPolicy("mine", "HTTPRoute/r#one", { overrides: { size: 9 } });
    const objects = [...bakery("one", undefined, "three", undefined), crd, house, mine];
    const [first] = changesFor(objects, "httproute/r#one", 9);
    expect(first === undefined ? "" : short(first)).toBe("NameRule r, NameRule r, NarrowTargets house overrides +0");
    expect(first?.steps.at(-1)?.summary).toBe(
      "Let TestPolicy default/house target HTTPRoute default/r#rule-2, HTTPRoute default/r#rule-4 and HTTPRoute default/r#three instead",
    );
  });
});

describe("a rule stays without a name", () => {
  const house = testPolicy("house", "Gateway/g", { defaults: { size: 3 } });
  const named = (objects: readonly JsonObject[], target: string): readonly string[] =>
    changesFor(objects, target, 9)
      .map(short)
      .filter((text) => text.includes("NameRule"));

  test("if the only rule of the route is meant: a policy on the route does as well", () =>
    expect(named([...bakery(undefined), house], "httproute/r#rule-1")).toEqual([]));

  test("if the object has the field itself", () => {
    const answer = ask(
      [...bakery("one", undefined), retry("house", "Gateway/g", { defaults: { retry: { attempts: 3 } } })],
      "httproute/r#rule-2",
      { "retry.attempts": 0 },
    );
    const [kind] = answer.kinds;
    expect(kind?.changes.map(short)[0]).toBe("SetField r +0");
    expect(kind?.changes.map(short).join()).not.toContain("NameRule");
    expect(kind?.leftOut.join()).toContain("the rule has no name");
  });

  test("if another rule is called as this one is shown", () =>
    expect(named([...bakery("rule-2", undefined), house], "httproute/r#rule-2~")).toEqual([]));

  test("if a policy waits for that name: it would take effect, too", () => {
    const waiting = testPolicy("waiting", "HTTPRoute/r#rule-2", { overrides: { colour: "red" } });
    const [first] = changesFor([...bakery("one", undefined), house, waiting], "httproute/r#rule-2", 9);
    expect(first === undefined ? "" : short(first)).toBe("CreatePolicy r-size defaults +1");
  });
});
