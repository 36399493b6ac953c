import { describe, expect, test } from "vitest";
import { testTranscripts } from "../../../test/support/cli/cli-transcript.ts";
import { outsideCode } from "../../../test/support/cli/outside-code.ts";
import { runCli } from "../../../test/support/cli/run-cli.ts";

testTranscripts([
  ["plan-markdown", "plan --delete retrypolicy/friday-fix -o markdown -f examples/bakery"],
  ["plan-markdown-nothing", "plan --against examples/bakery -o markdown -f examples/bakery"],
  [
    "plan-markdown-conflict",
    "plan --apply - -o markdown -f examples/bakery",
    `apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: a-tls, namespace: bakery}
spec:
  targetRefs: [{group: "", kind: Service, name: oven}]
  validation: {hostname: x.example, wellKnownCACertificates: System}
---
kind: HTTPRoute
apiVersion: gateway.networking.k8s.io/v1
metadata: {name: bad, namespace: shop}
spec: {rules: 5}
`,
  ],
]);

const definition = (kind = "Colour"): string => `apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: ${kind.toLowerCase()}s.example.com}
spec:
  policies: [{group: example.com, kind: ${kind}}]
  class: Inherited
  targeting: {kinds: [{kind: Gateway}, {kind: HTTPRoute}]}
  hierarchy: {effectiveTargets: [HTTPRouteRule]}
  merge: {granularity: {default: Field}}
`;
const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: g, namespace: infra}
spec: {gatewayClassName: x, listeners: [{name: l, protocol: HTTP, port: 80, allowedRoutes: {namespaces: {from: All}}}]}
`;
const route = (name: string, namespace: string): string => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: ${namespace}}
spec: {parentRefs: [{name: g, namespace: infra}], rules: [{name: one}]}
`;
const colour = (
  kind: string,
  name: string,
  namespace: string,
  settings: string,
  own = "Colour",
): string => `apiVersion: example.com/v1
kind: ${own}
metadata: {name: ${name}, namespace: ${namespace}}
spec: {targetRef: {kind: ${kind}, name: ${kind === "Gateway" ? "g" : name}}, defaults: ${settings}}
`;

describe("hostile names and values", () => {
  const text = "</summary></details>\n```\n# @org/team <img src=x onerror=alert(1)> [x](javascript:1) | #1 ``` ` \\";
  const settings = JSON.stringify({ [text]: text, colour: "@everyone" });
  const contact = `apiVersion: v1
kind: Namespace
metadata: {name: infra, annotations: {prevail.dev/contact: ${JSON.stringify(text)}}}
`;
  test("are code, whatever they are", async () => {
    const files = {
      "now.yaml": [definition(), gateway, route("r", "shop"), contact].join("---\n"),
      "a`@b`\n```\n<b>|.yaml": colour("Gateway", "c", "infra", settings),
    };
    const { stdout, stderr } = await runCli(
      ["plan", "--apply", "a`@b`\n```\n<b>|.yaml", "-o", "markdown", "-f", "now.yaml"],
      { files },
    );
    expect(stderr).toBe("");
    expect(stdout).toContain("@everyone");
    const outside = outsideCode(stdout);
    expect(outside).not.toMatch(/[@[\]\\`]|#1|<(?!\/?(details|summary)>)/);
    expect(outside.match(/<details><summary>[^<]*<\/summary>/g)).toHaveLength(3);
    expect(outside.match(/<\/details>/g)).toHaveLength(3);
    const rows = stdout.split("\n").filter((line) => line.startsWith("| "));
    expect(rows.map((row) => row.split("|").length)).toEqual(rows.map(() => 8));
  });
});

describe("size", () => {
  const kinds = Array.from({ length: 12 }, (_, index) => `Kind${index}`);
  const namespaces = Array.from({ length: 60 }, (_, index) => `${"n".repeat(40)}-${index}`);
  const world = (value: string, own: readonly string[]): string =>
    [
      gateway,
      ...own.map((kind) => definition(kind)),
      ...namespaces.flatMap((namespace, index) => [
        route("r", namespace),
        ...own.map((kind) => colour("HTTPRoute", "r", namespace, `{colour: "${value}${index}"}`, kind)),
      ]),
    ].join("---\n");
  const planOf = async (value: string, own: readonly string[]): Promise<string> =>
    (
      await runCli("plan --against next.yaml -o markdown -f now.yaml", {
        files: { "now.yaml": world("red", own), "next.yaml": world(value, own) },
      })
    ).stdout;

  test.each(["ü`", "`".repeat(80), "blue "])(
    "at most 60 KB, with a note that says what is left out and how to see it: %j",
    async (word) => {
      const text = await planOf(word.repeat(150), kinds);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(60_000);
      expect(Buffer.byteLength(text)).toBeGreaterThan(30_000);
      expect(text).toContain("… and 20 more namespaces.");
      expect(text).toMatch(
        /\n\*\*Left out\*\*, because a comment has at most 60 KB: .*the section Kind9: values change/,
      );
      expect(text).toMatch(/To see everything: `prevail plan --against next.yaml -f now.yaml -o wide`\n$/);
      expect(outsideCode(text).match(/<details>/g)?.length).toBe(outsideCode(text).match(/<\/details>/g)?.length);
    },
  );

  test("a small plan is whole", async () => {
    expect(await planOf("blue", kinds.slice(0, 1))).not.toContain("Left out");
  });
});

test("the command to see everything can be copied into a shell", async () => {
  const { stdout } = await runCli(["plan", "--against", "it's here.yaml", "-o", "markdown", "-f", "now.yaml"], {
    files: { "now.yaml": gateway, "it's here.yaml": gateway },
  });
  expect(stdout).toContain("`prevail plan --against 'it'\\''s here.yaml' -f now.yaml -o wide`");
});
