import { describe, expect, test } from "vitest";
import {
  ask,
  attempts,
  retry,
  routes,
  shorts,
  sizeKind,
  testCrd,
  testPolicy,
} from "../../../../test/support/cluster/ask-how.ts";

describe("what is not a change", () => {
  const house = retry("house", "Gateway/g", attempts("defaults", 5));

  test("a field that the object's schema does not have: the API server would drop it", () => {
    const answer = ask([...routes(), house], "httproute/q", { "retry.maxBackoff": "1s" });
    expect(shorts(answer)[0]).toBe("CreatePolicy q-retry defaults +0");
    expect(shorts(answer).join()).not.toContain("SetField");
  });

  test("a value that the field of the object does not accept, and the policy does", () => {
    const answer = ask([...routes(), house], "httproute/q", { "retry.codes": [503, 503] });
    expect(shorts(answer).join()).not.toContain("SetField");
    expect(shorts(answer)[0]).toBe("CreatePolicy q-retry defaults +0");
  });

  test("a setting that the kind forbids on a target", () => {
    const answer = ask([...routes(), house], "httproute/q", { "timeouts.request": "1s" });
    const objects = answer.kinds.flatMap(({ changes }) => changes.flatMap((change) => change.objects));
    const targets = objects
      .map(({ manifest }) => JSON.stringify(manifest))
      .filter((text) => text.includes("RetryPolicy"));
    expect(targets.join()).not.toContain('"Service"');
  });

  test("what a rule of the CRD in the input refuses", () => {
    const crd = testCrd({
      "x-kubernetes-validations": [
        { rule: "!has(self.defaults) || !has(self.defaults.size) || self.defaults.size < 10" },
      ],
    });
    const objects = [...routes(), crd, testPolicy("house", "Gateway/g", { defaults: { size: 3 } })];
    expect(shorts(ask(objects, "httproute/q", { size: 9 }, [sizeKind]))).not.toEqual([]);
    const answer = ask(objects, "httproute/q", { size: 12 }, [sizeKind]);
    expect(answer.kinds[0]?.state).toBe("Changes");
    expect(shorts(answer).join()).not.toContain("defaults");
    expect(shorts(answer)[0]).toBe("CreatePolicy q-size overrides +0");
  });

  test("a block or a condition that the CRD in the input does not have", () => {
    const crd = testCrd({}, ["overrides"]);
    const objects = [...routes(), crd, testPolicy("house", "Gateway/g", { overrides: { size: 3 } })];
    const answer = ask(objects, "httproute/q", { size: 9 }, [sizeKind]);
    expect(shorts(answer)).toEqual(["ChangeValue house overrides +2"]);
  });

  test("a change that a transition rule refuses", () => {
    const crd = testCrd({ "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "specs do not change" }] });
    const objects = [...routes(), crd, testPolicy("house", "Gateway/g", { overrides: { size: 3 } })];
    const answer = ask(objects, "httproute/q", { size: undefined }, [sizeKind]);
    expect(shorts(answer)).toEqual(["DeletePolicy house overrides +2"]);
  });

  test("if nothing is left, the reasons are there", () => {
    const crd = testCrd({ "x-kubernetes-validations": [{ rule: "!has(self.defaults)", message: "no defaults" }] }, [
      "defaults",
    ]);
    const objects = [...routes(), crd];
    const answer = ask(objects, "httproute/q", { size: 9 }, [sizeKind]);
    expect(answer.kinds.map(({ state }) => state)).toEqual(["Nothing"]);
    expect(answer.kinds[0]?.refused.join()).toContain("no defaults");
  });
});
