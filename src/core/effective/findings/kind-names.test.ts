import { expect, test } from "vitest";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import { policy, service } from "../../../../test/support/cluster/gateway-objects.ts";
import { policyKind } from "../../../../test/support/cluster/policy-kind.ts";
import { worldOf } from "../../evaluation.ts";
import type { GroupKind } from "../../model/refs.ts";
import { kindNamesIn } from "./kind-names.ts";

const [MESH, LINK] = ["security.istio.io", "policy.linkerd.io"];
const access = (group: string, name: string) =>
  policy("AccessPolicy", name, "Service/s", { allow: group }, { group, namespace: "shop" });
const definition = (group: string) =>
  policyKind("AccessPolicy", { group, class: "Direct", targets: ["Service"], ends: ["Service"] });
const names = (...objects: readonly unknown[]) =>
  kindNamesIn(
    worldOf(cluster([service("s"), ...objects], { definitions: [definition(MESH), definition(LINK)] }).evaluation),
  );

const two = names(access(MESH, "till"), access(LINK, "till"), access(MESH, "mesh"), access(LINK, "link"));
const mesh: GroupKind = { group: MESH, kind: "AccessPolicy" };
const link: GroupKind = { group: LINK, kind: "AccessPolicy" };

test.each<[string, string, readonly GroupKind[], string]>([
  [
    "an object that one kind has",
    "AccessPolicy shop/mesh is here",
    [],
    "AccessPolicy.security.istio.io shop/mesh is here",
  ],
  [
    "the object, not what the message is about",
    "by AccessPolicy shop/link.",
    [mesh],
    "by AccessPolicy.policy.linkerd.io shop/link.",
  ],
  [
    "an object that both have",
    "by AccessPolicy shop/till, and",
    [link],
    "by AccessPolicy.policy.linkerd.io shop/till, and",
  ],
  ["an object that both have, in a message about neither", "AccessPolicy shop/till", [], "AccessPolicy shop/till"],
  ["an object that neither has", "AccessPolicy shop/gone", [mesh], "AccessPolicy.security.istio.io shop/gone"],
  [
    "the kind alone",
    "only one AccessPolicy takes effect",
    [mesh],
    "only one AccessPolicy.security.istio.io takes effect",
  ],
  [
    "the kind alone, in a message about both",
    "only one AccessPolicy takes effect",
    [mesh, link],
    "only one AccessPolicy takes effect",
  ],
  ["several of a kind", "3 AccessPolicies are ignored", [link], "3 AccessPolicies.policy.linkerd.io are ignored"],
  [
    "two of two kinds",
    "AccessPolicy shop/mesh and AccessPolicy shop/link",
    [],
    "AccessPolicy.security.istio.io shop/mesh and AccessPolicy.policy.linkerd.io shop/link",
  ],
  [
    "a name with its group",
    "AccessPolicy.policy.linkerd.io shop/link and AccessPolicy (policy.linkerd.io)",
    [mesh],
    "AccessPolicy.policy.linkerd.io shop/link and AccessPolicy (policy.linkerd.io)",
  ],
  ["a longer word", "MyAccessPolicy shop/mesh, AccessPolicyList", [mesh], "MyAccessPolicy shop/mesh, AccessPolicyList"],
  ["another kind", "Service shop/s", [mesh], "Service shop/s"],
])("in a message, %s", (_, text, about, expected) => {
  expect(two.inText(text, about)).toBe(expected);
});

test("a kind of a name has its group where the input has objects of two kinds of that name", () => {
  expect([two.kindName(mesh), two.kindName(link), two.kindName({ group: "", kind: "Service" })]).toEqual([
    "AccessPolicy.security.istio.io",
    "AccessPolicy.policy.linkerd.io",
    "Service",
  ]);
});

test("one kind of a name has no group, although another is defined", () => {
  const one = names(access(MESH, "till"));
  expect([one.kindName(mesh), one.inText("AccessPolicy shop/till", [mesh])]).toEqual([
    "AccessPolicy",
    "AccessPolicy shop/till",
  ]);
});

test("a kind of files may have any name, also one with characters that mean something in patterns", () => {
  const odd = (group: string) => ({
    apiVersion: `${group}/v1`,
    kind: "Odd(",
    metadata: { name: "till", namespace: "shop" },
  });
  const { inText } = names(odd(MESH), odd(LINK));
  expect(inText("Odd( shop/gone", [{ group: MESH, kind: "Odd(" }])).toBe("Odd(.security.istio.io shop/gone");
});
