import { describe, expect, test } from "vitest";
import { kubeObject } from "../../../../../test/support/cluster/kube-objects.ts";
import type { Json } from "../../json.ts";
import { parseDefinition } from "../../parse/definition/parse-definition.ts";
import { merge, mergeChoices } from "./merge-schema.ts";

const findingsOf = (key: "order" | "precedence", items: readonly Json[]): readonly string[] =>
  parseDefinition(
    kubeObject({
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyDefinition",
      metadata: { name: "colors.example.com" },
      spec: {
        policies: [{ group: "example.com", kind: "ColorPolicy" }],
        class: "Inherited",
        targeting: {
          kinds: ["HTTPRoute"],
          namedBy: [{ level: "HTTPRoute", path: "colors" }],
        },
        merge: key === "order" ? { strategy: "Accumulate", order: items } : { precedence: items },
      },
    }),
  ).findings.map(({ message }) => message);

describe("the text of the schema offers the words that the parser accepts", () => {
  test.each(["order", "precedence"] as const)("spec.merge.%s", (key) => {
    const offered = merge.properties?.[key]?.items?.["x-prevail-shorthand"] ?? "";
    const words = mergeChoices.order.filter((word) => new RegExp(`\\b${word} \\(`).test(offered));
    expect(words).toEqual(mergeChoices[key]);
    for (const word of mergeChoices.order) {
      const findings = findingsOf(key, word === "Reference" ? ["Level", word] : [word]);
      expect([word, findings.length === 0]).toEqual([word, words.includes(word)]);
    }
  });

  test("a word that is refused there: which are allowed", () => {
    expect(findingsOf("precedence", ["Level"]).join()).toContain(
      'spec.merge.precedence[0] is "Level"; allowed: Age, Name, or an object with path or annotation',
    );
  });
});
