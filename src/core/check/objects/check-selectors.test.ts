import { expect, test } from "vitest";
import { findingsOf, smallCluster } from "../../../../test/support/cli/check-text.ts";

const listener = (selector: string): string =>
  smallCluster.replace(
    "  - {name: http, protocol: HTTP, port: 80}\n",
    `  - name: http
    protocol: HTTP
    port: 80
    allowedRoutes:
      namespaces:
        from: Selector
        selector: ${selector}
`,
  );

test("a listener that no namespace can use", async () => {
  expect(await findingsOf("NamespaceSelectorMatchesNothing", listener("{matchLabels: {team: b}}"))).toEqual([
    "info at «{matchLabels: {team: b}}»: listener 'http' of Gateway a/g allows namespaces with the labels team=b; no namespace in the input has them",
  ]);
});

test("a Gateway that no ListenerSet can be attached to", async () => {
  const text = smallCluster.replace(
    "  gatewayClassName: c\n",
    "  gatewayClassName: c\n  allowedListeners: {namespaces: {from: Selector, selector: {matchExpressions: [{key: team, operator: Exists}]}}}\n",
  );
  expect(await findingsOf("NamespaceSelectorMatchesNothing", text)).toEqual([
    expect.stringMatching(/^info at «{matchExpressions: .*: Gateway a\/g allows namespaces with the labels team; /),
  ]);
});

test.each(["{matchLabels: {kubernetes.io/metadata.name: a}}", "{}"])("not %s", async (selector) => {
  expect(await findingsOf("NamespaceSelectorMatchesNothing", listener(selector))).toEqual([]);
});
