import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

const service = (namespace: string, name: string, labels = "{}"): string =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: ${namespace}, labels: ${labels}}\nspec: {ports: [{name: web, port: 80}]}\n`;

const files = {
  "a.yaml": [
    service("bakery", "baker", "{team: bread}"),
    service("shop", "baker"),
    service("shop", "till"),
    `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: prod, namespace: infra}
spec: {gatewayClassName: house, listeners: [{name: http, port: 80, protocol: HTTP}, {name: https, port: 443, protocol: HTTPS}]}
`,
    `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ovens.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Oven, plural: ovenware, shortNames: [ov]}, versions: []}
`,
    "apiVersion: example.com/v1\nkind: Oven\nmetadata: {name: big, namespace: bakery}\n",
  ].join("---\n"),
};

async function output(line: string): Promise<string> {
  const { stdout, stderr, code } = await runCli(`get targets ${line} -o json -f a.yaml`, { files });
  if (code !== 0) return stderr;
  const { items } = JSON.parse(stdout) as {
    items: { target: { kind: string; namespace: string; name: string; sectionName?: string } }[];
  };
  return items
    .map(
      ({ target }) =>
        `${target.kind} ${target.namespace}/${target.name}${target.sectionName === undefined ? "" : `#${target.sectionName}`}`,
    )
    .join(", ");
}

describe("what the words name", () => {
  for (const [line, expected] of [
    ["service/till", "Service shop/till"],
    ["Service/till", "Service shop/till"],
    ["svc till", "Service shop/till"],
    ["services till baker", "Service shop/till, Service bakery/baker, Service shop/baker"],
    ["svc/baker", "Service bakery/baker, Service shop/baker"],
    ["svc/baker -n shop", "Service shop/baker"],
    ["svc/baker -n shop -A", "Service bakery/baker, Service shop/baker"],
    ["svc/shop/baker", "Service shop/baker"],
    ["svc/baker -l team=bread", "Service bakery/baker"],
    ["svc -l team", "Service bakery/baker"],
    ["svc", "Service bakery/baker, Service shop/baker, Service shop/till"],
    ["svc,gtw", "Service bakery/baker, Service shop/baker, Service shop/till, Gateway infra/prod"],
    ["gtw/prod#https", "Gateway infra/prod#https"],
    ["gtw prod#https", "Gateway infra/prod#https"],
    ["gateways.gateway.networking.k8s.io/prod", "Gateway infra/prod"],
    ["gateway.v1.gateway.networking.k8s.io/prod", "Gateway infra/prod"],
    ["svc/till gtw/prod svc/till", "Service shop/till, Gateway infra/prod"],
    ["ov/big", "Oven bakery/big"],
    ["ovenware/big", "Oven bakery/big"],
    ["oven.example.com/big", "Oven bakery/big"],
    ["gc/house", "GatewayClass /house"],
    ["ns/bakery", "Namespace /bakery"],
    ["ns/bakery -n shop", "Namespace /bakery"],
  ] as const) {
    test(line, async () => expect(await output(line)).toBe(expected));
  }
});

describe("what they do not name", () => {
  for (const [line, message] of [
    ["svc/bakr", "error: there is no Service 'bakr'; did you mean 'baker' (Service bakery/baker)?\n"],
    [
      "svc/zzzzzz",
      "error: there is no Service 'zzzzzz'\nThere are: service/bakery/baker, service/shop/baker, service/shop/till\n",
    ],
    ["svc/till -n bakery", "error: there is no Service 'till' in namespace 'bakery'; it exists in 'shop'\n"],
    ["svc/bakery/till", "error: there is no Service 'till' in namespace 'bakery'; it exists in 'shop'\n"],
    ["servce/till", "error: unknown kind 'servce'; did you mean 'service'?\n"],
    ["qqqqqqqqqq/x", "error: unknown kind 'qqqqqqqqqq'\nThere are: CustomResourceDefinition, Gateway, Oven, Service\n"],
    ["gtw/prod#htp", "error: Gateway infra/prod has no section 'htp'; did you mean 'http'?\nIt has: http, https\n"],
    ["ov/big#x", "error: Oven bakery/big has no sections\n"],
    ["svc/baker -l team=cake", "error: -l team=cake: no object has these labels\nThe keys of labels are: team\n"],
    [
      "svc/baker -l =",
      "error: -l has '='; a label is selected as key=value, key!=value, key in (a,b), key notin (a,b), key\n       or !key\n",
    ],
    [
      "svc/a/b/c",
      "error: 'svc/a/b/c' is no target\nTargets are written KIND/NAME, KIND NAME or KIND/NAMESPACE/NAME, with #SECTION behind for a section.\n",
    ],
    [
      "svc/",
      "error: 'svc/' is no target\nTargets are written KIND/NAME, KIND NAME or KIND/NAMESPACE/NAME, with #SECTION behind for a section.\n",
    ],
    ["gc/other", "error: there is no GatewayClass 'other'\n"],
  ] as const) {
    test(line, async () => expect(await output(line)).toBe(message));
  }

  test("a kind that two groups have is named once", async () => {
    const twins = ["example.com", "example.org"].map(
      (group) => `apiVersion: ${group}/v1\nkind: Oven\nmetadata: {name: big}\n`,
    );
    const { stderr } = await runCli("explain oven/hot -f a.yaml", { files: { "a.yaml": twins.join("---\n") } });
    expect(stderr).toContain("error: there is no Oven 'hot'\n");
  });

  test("several, where one is asked for, are listed", async () => {
    expect(await runCli("explain svc/baker -f a.yaml", { files })).toEqual({
      code: 64,
      stdout: "",
      stderr:
        "error: 'svc/baker' matches 2 objects; select one with -n or by its full name:\n  service/bakery/baker\n  service/shop/baker\n",
    });
  });
});
