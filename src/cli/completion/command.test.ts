import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

/** The words that could come next, without their help, and the number at the end. `|` stands before the words behind the cursor. */
async function complete(...line: readonly string[]): Promise<{ words: readonly string[]; directive: string }> {
  const cursor = line.indexOf("|");
  const after = cursor === -1 ? [] : ["--after", String(line.length - cursor - 1)];
  const typed = line.filter((word) => word !== "|");
  const { stdout, stderr, code } = await runCli(["completion", "words", ...after, "--", ...typed]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const lines = stdout.trimEnd().split("\n");
  return { words: lines.slice(0, -1).map((line) => line.split("\t")[0] ?? ""), directive: lines.at(-1) ?? "" };
}

const BAKERY = ["-f", "examples/bakery"];

describe("words", () => {
  for (const [name, line, words, directive] of [
    ["commands", ["re"], ["reach", "retries"], ":4"],
    ["commands after help", ["help", "ex"], ["explain"], ":4"],
    [
      "kinds that may be targets, to be continued",
      ["explain", ...BAKERY, "g"],
      ["gateway/", "gatewayclass/", "grpcroute/"],
      ":6",
    ],
    ["short names, where no kind begins like that", ["explain", ...BAKERY, "gt"], ["gtw/"], ":6"],
    [
      "kinds of policies, where a policy is wanted",
      ["reach", ...BAKERY, "r"],
      ["ratelimitpolicy/", "retrypolicy/"],
      ":6",
    ],
    [
      "names",
      ["explain", ...BAKERY, "httproute/"],
      ["httproute/baker", "httproute/counter", "httproute/party", "httproute/stocktaking"],
      ":4",
    ],
    [
      "names in one namespace",
      ["explain", "-n", "bakery", ...BAKERY, "svc/"],
      ["svc/baker", "svc/baker-next", "svc/oven"],
      ":4",
    ],
    ["names with their namespace", ["explain", ...BAKERY, "svc/shop/"], ["svc/shop/till"], ":4"],
    ["names after a kind", ["explain", ...BAKERY, "httproute", "b"], ["baker"], ":4"],
    [
      "sections",
      ["explain", ...BAKERY, "httproute/baker#"],
      ["httproute/baker#order", "httproute/baker#rule-2", "httproute/baker#menu"],
      ":4",
    ],
    ["namespaces", ["explain", ...BAKERY, "-n", ""], ["bakery", "infra", "shop"], ":4"],
    [
      "settings, to be continued",
      ["how", "httproute/baker", ...BAKERY, "retry.a"],
      ["retry.afterSend=", "retry.attempts="],
      ":6",
    ],
    ["settings after KIND NAME", ["how", "httproute", "baker", ...BAKERY, "timeouts.r"], ["timeouts.request="], ":6"],
    [
      "settings of one policy kind",
      ["how", "httproute/baker", "--policy", "authpolicy", ...BAKERY, "r"],
      [
        "rules.authentication.anyone=",
        "rules.authentication.api-key=",
        "rules.authentication.staff=",
        "rules.response.audit-id=",
      ],
      ":6",
    ],
    ["policy kinds", ["how", "httproute/baker", ...BAKERY, "--policy", "re"], ["retrypolicy"], ":4"],
    [
      "rules of the policy on the line",
      ["reach", "ratelimitpolicy/fair-share", ...BAKERY, "--rule", ""],
      ["per-client", "ceiling"],
      ":4",
    ],
    ["what can be deleted", ["plan", ...BAKERY, "--delete", "retrypolicy/f"], ["retrypolicy/friday-fix"], ":4"],
    ["a value behind =", ["plan", ...BAKERY, "--delete=retrypolicy/f"], ["--delete=retrypolicy/friday-fix"], ":4"],
    [
      "choices of an option",
      ["explain", "-o", ""],
      [
        "wide",
        "yaml",
        "json",
        "name",
        "jsonpath=",
        "custom-columns=",
        "jsonpath-as-json=",
        "jsonpath-file=",
        "custom-columns-file=",
      ],
      ":4",
    ],
    ["choices that need a text", ["explain", "-o", "custom"], ["custom-columns=", "custom-columns-file="], ":6"],
    ["choices behind =", ["explain", "--output=y"], ["--output=yaml"], ":4"],
    ["options", ["plan", "--a"], ["--apply", "--against", "--as", "--as-group", "--as-uid"], ":4"],
    ["options that are given are not given again", ["explain", "--redact", "--red"], [], ":4"],
    ["names of files", ["plan", "-f", ""], [], ":0"],
    ["names of files for --apply", ["plan", "--apply", "x"], [], ":0"],
    ["subcommands", ["get", "ef"], ["effective"], ":4"],
    ["resources and kinds", ["get", ...BAKERY, "p"], ["policies", "policydefinition/", "policytest/"], ":4"],
    ["objects of a kind", ["get", ...BAKERY, "svc/o"], ["svc/oven"], ":4"],
    ["names after a kind, for get", ["get", ...BAKERY, "httproutes", "b"], ["baker"], ":4"],
    ["policy kinds", ["get", "definitions", ...BAKERY, "re"], ["retrypolicy"], ":4"],
    ["what follows a subcommand", ["get", "targets", ...BAKERY, "li"], ["listenerset/"], ":6"],
    ["gateways by name", ["trace", ...BAKERY, "--gateway", ""], ["prod"], ":4"],
    ["methods", ["trace", "P"], ["POST", "PUT", "PATCH"], ":4"],
    ["shells", ["completion", ""], ["bash", "zsh", "fish", "words"], ":4"],
    ["nothing after an unknown command", ["nosuch", ""], [], ":4"],
    ["nothing from files that are not there", ["explain", "-f", "nowhere", "httproute/"], [], ":4"],
  ] as const) {
    test(name, async () => {
      expect(await complete(...line)).toEqual({ words, directive });
    });
  }

  const routes = ["httproute/baker", "httproute/counter", "httproute/party", "httproute/stocktaking"];
  for (const line of [
    ["explain", "-f", "examples/bakery", "httproute/"],
    ["explain", "-fexamples/bakery", "httproute/"],
    ["explain", "-f=examples/bakery", "httproute/"],
    ["explain", "-Rf", "examples/bakery", "httproute/"],
    ["explain", "--filename", "examples/bakery", "httproute/"],
    ["explain", "--filename=examples/bakery", "httproute/"],
    ["explain", "-f", "examples/bakery/shop.yaml,examples/bakery/bakery.yaml", "httproute/"],
    ["explain", "-f", "examples/bakery/shop.yaml", "-f", "examples/bakery/bakery.yaml", "httproute/"],
    ["-f", "examples/bakery", "explain", "httproute/"],
    ["-f=examples/bakery/shop.yaml,examples/bakery/bakery.yaml", "-o", "wide", "explain", "httproute/"],
    ["--filename=examples/bakery", "--all-paths", "explain", "httproute/"],
    ["explain", "httproute/", "|", "-f", "examples/bakery"],
    ["explain", "httproute/", "|", "--all-paths", "--filename=examples/bakery/shop.yaml,examples/bakery/bakery.yaml"],
  ])
    test(`-f anywhere: ${line.join(" ")}`, async () => {
      expect(await complete(...line)).toEqual({ words: routes, directive: ":4" });
    });

  for (const [name, line, words, directive] of [
    ["names of files", ["-f", ""], [], ":0"],
    ["names of files behind --filename=", ["get", "--filename=x"], [], ":0"],
    ["names of files behind -f=", ["get", "-f=examples/bak"], ["-f=examples/bakery/"], ":6"],
    ["names of files behind -f", ["get", "-fexamples/bak"], ["-fexamples/bakery/"], ":6"],
    [
      "names of files in a list",
      ["get", "-f", "a.yaml,examples/bakery/p"],
      ["a.yaml,examples/bakery/platform-policies.yaml", "a.yaml,examples/bakery/policy-kinds.yaml"],
      ":4",
    ],
    [
      "names of files in a list behind =",
      ["--filename=a.yaml,examples/bakery/g"],
      ["--filename=a.yaml,examples/bakery/gateway.yaml"],
      ":4",
    ],
    ["names of files in a folder that is not there", ["get", "-f=nowhere/x"], [], ":4"],
    ["commands after options", ["-f", "x.yaml", "-A", "ex"], ["explain"], ":4"],
    ["options before a command", ["--all-n"], ["--all-namespaces"], ":4"],
    ["namespaces before a command", [...BAKERY, "-n", "s"], ["shop"], ":4"],
    ["namespaces behind -n", ["get", "policies", ...BAKERY, "-ns"], ["-nshop"], ":4"],
    [
      "namespaces with files behind the cursor",
      ["explain", "-n", "", "|", "x", ...BAKERY],
      ["bakery", "infra", "shop"],
      ":4",
    ],
    ["an item of a list", ["check", "--fail-on", "error,ca"], ["error,caveat"], ":4"],
    ["nothing after an unknown option", ["--nosuch", ""], [], ":4"],
    ["help after options", ["-q", "help", "ex"], ["explain"], ":4"],
  ] as const)
    test(`${name}: ${line.join(" ")}`, async () => {
      expect(await complete(...line)).toEqual({ words, directive });
    });

  test("without files, kinds that are always there", async () => {
    const { words } = await complete("explain", "http");
    expect(words).toEqual(["httproute/"]);
  });

  test("a name that two namespaces have comes with its namespace", async () => {
    const route = (namespace: string): string =>
      `apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r, namespace: ${namespace}}\nspec: {}\n`;
    const files = { "a.yaml": `${route("x")}---\n${route("z")}` };
    const { stdout } = await runCli("completion words -- explain -f a.yaml httproute/", { files });
    expect(stdout).toBe("httproute/x/r\tin x\nhttproute/z/r\tin z\n:4\n");
  });

  test("broken files are no reason to talk", async () => {
    const files = { "a.yaml": "a: [" };
    const { stdout, stderr, code } = await runCli("completion words -- explain -f a.yaml httproute/", { files });
    expect({ stdout, stderr, code }).toEqual({ stdout: ":4\n", stderr: "", code: 0 });
  });
});
