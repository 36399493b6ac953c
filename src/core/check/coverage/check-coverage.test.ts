import { describe, expect, test } from "vitest";
import {
  checkText,
  findingsOf,
  limitPolicy,
  retryPolicy,
  smallCluster,
} from "../../../../test/support/cli/check-text.ts";

const rule = (spec: string): string => `---
apiVersion: prevail.dev/v1alpha1
kind: CoverageRule
metadata: {name: rule}
spec:
${spec.replaceAll(/^/gm, "  ")}
`;

const limited = (targets: string, more = ""): string =>
  rule(`targets: ${targets}\npolicyKind: LimitPolicy\ncondition: size(spec.limits) > 0${more}`);

const policy = limitPolicy("p", "HTTPRoute", "limits: {one: {rate: 1}}");
const coverage = (text: string): Promise<readonly string[]> => findingsOf("NotCovered", text);

describe("a condition for every target", () => {
  test("without any policy the effective one is empty: the target is named, with its path", async () => {
    expect(await coverage(smallCluster + limited("{levels: [HTTPRouteRule]}", "\nmessage: Limit everything."))).toEqual(
      [
        "error at «name: one»: Limit everything: no LimitPolicy takes effect on HTTPRoute a/r#one, on GatewayClass c > Gateway a/g#http > HTTPRoute a/r#one",
      ],
    );
  });

  test("the condition is true", async () => {
    expect(await coverage(smallCluster + policy + limited("{levels: [HTTPRouteRule]}"))).toEqual([]);
  });

  test("a level above the effective target: on all paths through it", async () => {
    const two = smallCluster.replace("  - name: one\n", "  - name: two\n  - name: one\n");
    const onOne = policy.replace("name: r}", "name: r, sectionName: one}");
    expect(await coverage(two + onOne + limited("{levels: [HTTPRoute]}"))).toEqual([
      "error at «apiVersion: gateway.networking.k8s.io/v1»: CoverageRule rule is not met: no LimitPolicy takes effect on HTTPRoute a/r, on GatewayClass c > Gateway a/g#http > HTTPRoute a/r#two",
    ]);
  });

  test("the values that the condition reads, and who set them", async () => {
    const text =
      smallCluster.replace("  - name: one\n", "  - name: one\n    retry: {attempts: 9}\n") +
      retryPolicy("p", "{kind: Gateway, name: g}", "retry: {codes: [503]}") +
      rule(
        "targets: {levels: [HTTPRouteRule]}\npolicyKind: ClusterRetryPolicy\ncondition: spec.retry.attempts < 3 && size(spec.retry.codes) > 1\nseverity: warning",
      );
    expect(await coverage(text)).toEqual([
      expect.stringMatching(
        /^warning at .*: CoverageRule rule is not met: at HTTPRoute a\/r#one retry\.attempts is 9 by the object itself and retry\.codes is \[503\] by RetryPolicy a\/p, on /,
      ),
    ]);
  });

  test("a condition may ask about the target", async () => {
    const text = rule(
      "targets: {levels: [HTTPRouteRule]}\npolicyKind: LimitPolicy\ncondition: self.target.sectionName != 'one' || self.path.size() == 9",
    );
    expect(await coverage(smallCluster + text)).toHaveLength(1);
    expect(await coverage(smallCluster.replace("name: one", "name: two") + text)).toEqual([]);
  });
});

describe("which targets", () => {
  const second = smallCluster.replace(
    "  - {name: http, protocol: HTTP, port: 80}\n",
    "  - {name: http, protocol: HTTP, port: 80}\n  - {name: more, protocol: HTTP, port: 81}\n",
  );

  test("under: only paths through it count", async () => {
    const onListener = limitPolicy("p", "Gateway", "limits: {one: {rate: 1}}").replace(
      "name: g}",
      "name: g, sectionName: more}",
    );
    const under = (name: string): string =>
      limited(`{levels: [HTTPRouteRule], under: [{kind: Gateway, namespace: a, name: g, sectionName: ${name}}]}`);
    expect(await coverage(second + onListener + under("more"))).toEqual([]);
    expect(await coverage(second + onListener + under("http"))).toHaveLength(1);
  });

  test.each([
    ["under a namespace", "{levels: [HTTPRouteRule], under: [{kind: Namespace, name: a}]}", 1],
    ["under another namespace", "{levels: [HTTPRouteRule], under: [{kind: Namespace, name: b}]}", 0],
    ["in a namespace", "{levels: [HTTPRouteRule], namespaces: [b, a]}", 1],
    ["in another namespace", "{levels: [HTTPRouteRule], namespaces: [b]}", 0],
    [
      "by a namespace's labels",
      "{levels: [HTTPRouteRule], namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: a}}}",
      1,
    ],
    ["by labels it does not have", "{levels: [HTTPRouteRule], namespaceSelector: {matchLabels: {team: absent}}}", 0],
    ["by the target's labels", "{levels: [HTTPRouteRule], selector: {matchLabels: {tier: web}}}", 1],
    ["by other labels", "{levels: [HTTPRouteRule], selector: {matchLabels: {tier: db}}}", 0],
    ["in full", "{levels: [{group: gateway.networking.k8s.io, kind: HTTPRoute, section: Rule}]}", 1],
    ["several levels", "{levels: [Gateway, HTTPRouteRule]}", 1],
  ])("%s", async (_, targets, count) => {
    const labelled = smallCluster.replace("{name: r, namespace: a}", "{name: r, namespace: a, labels: {tier: web}}");
    const found = await checkText(labelled + limited(targets));
    expect(found.map(({ code }) => code)).toEqual(count === 1 ? ["NotCovered"] : ["CoverageMatchesNothing"]);
  });

  test("a kind that does not flow: each target on its own, below what the rule says", async () => {
    const tls = rule(
      "targets: {levels: [Service], under: [{kind: Gateway, namespace: a, name: g}]}\npolicyKind: BackendTLSPolicy\ncondition: has(spec.validation.hostname)",
    );
    const other =
      "---\napiVersion: v1\nkind: Service\nmetadata: {name: alone, namespace: a}\nspec: {ports: [{port: 80}]}\n";
    expect(await coverage(smallCluster + other + tls)).toEqual([
      "error at «apiVersion: v1»: CoverageRule rule is not met: no BackendTLSPolicy takes effect on Service a/s",
    ]);
    const onPort = `---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: t, namespace: a}
spec:
  targetRefs: [{group: "", kind: Service, name: s, sectionName: web}]
  validation: {wellKnownCACertificates: System, hostname: s.a.svc}
`;
    expect(await coverage(smallCluster + onPort + tls)).toEqual([]);
    const ports = smallCluster.replace("[{name: web, port: 80}]", "[{name: web, port: 80}, {name: adm, port: 81}]");
    expect(await coverage(ports + onPort + tls)).toEqual([
      "error at «{name: adm, port: 81}]»: CoverageRule rule is not met: no BackendTLSPolicy takes effect on Service a/s#adm",
    ]);
  });

  test("a Gateway that is not in the files: not judged, which is reported", async () => {
    const [, , , ...rest] = smallCluster.split("---\n");
    const route = rest.join("---\n");
    expect(await findingsOf("CoverageIncomplete", route + limited("{levels: [HTTPRouteRule]}"))).toEqual([
      expect.stringMatching(
        /^info at .*: CoverageRule rule cannot be checked at HTTPRoute a\/r#one: Gateway a\/g is not in the input$/,
      ),
    ]);
    expect(await coverage(route + limited("{levels: [HTTPRouteRule]}"))).toEqual([]);
  });
});

describe("rules with mistakes", () => {
  test.each([
    [
      "a level that there is not",
      limited("{levels: [HTTPRouteRul]}"),
      /«HTTPRouteRul\]}».* did you mean 'HTTPRouteRule'\?$/,
    ],
    ["a section that there is not", limited("{levels: [{kind: HTTPRoute, section: Line}]}"), /allowed: Rule$/],
    ["a level that the kind never comes to", limited("{levels: [Service]}"), /«Service\]}».*end at HTTPRouteRule\.$/],
    ["a field that there is not", limited("{levels: [HTTPRoute], udner: []}"), /did you mean 'under'\?$/],
    ["no namespace", limited("{levels: [HTTPRoute], under: [{kind: Gateway, name: g}]}"), /set the namespace/],
    [
      "a kind above that there is not",
      limited("{levels: [HTTPRoute], under: [{kind: Gatewy, name: g}]}"),
      /'Gateway'\?$/,
    ],
    [
      "a bad selector",
      limited("{levels: [HTTPRoute], selector: {matchExpressions: [{key: a, operator: In}]}}"),
      /operator In/,
    ],
    [
      "a policy kind that there is not",
      rule("targets: {levels: [HTTPRoute]}\npolicyKind: LimitPolcy\ncondition: 'true'"),
      /«LimitPolcy».* did you mean 'LimitPolicy'\?$/,
    ],
    [
      "no condition",
      rule("targets: {levels: [HTTPRoute]}\npolicyKind: LimitPolicy"),
      /spec\.condition is missing; give a string/,
    ],
    ["nothing at all", rule("{}"), /is missing; give /],
    ["another version", limited("{levels: [HTTPRoute]}").replace("v1alpha1", "v9"), /«prevail\.dev\/v9»: apiVersion/],
  ])("%s", async (_, text, message) => {
    const found = await findingsOf("CoverageRuleInvalid", smallCluster + text);
    expect(found[0]).toMatch(/^error at /);
    expect(found[0]).toMatch(message);
  });

  test("a condition that cannot be evaluated is reported once, at the rule", async () => {
    const text = smallCluster.replace("  - name: one\n", "  - name: two\n  - name: one\n");
    const broken = rule("targets: {levels: [HTTPRouteRule]}\npolicyKind: LimitPolicy\ncondition: spec.limits >");
    const found = await checkText(text + broken);
    expect(found).toMatchObject([{ code: "CoverageRuleError", field: "spec.condition", severity: "error" }]);
  });

  test("a rule with a misspelt name selects no target", async () => {
    const text = limited("{levels: [HTTPRoute], under: [{kind: Gateway, namespace: b, name: g}]}");
    expect(await findingsOf("CoverageMatchesNothing", smallCluster + text)).toEqual([
      "warning at «g}]}»: CoverageRule rule has no targets; Gateway b/g does not exist; it exists in namespace 'a'",
    ]);
  });
});
