/** Kubernetes, "DNS-1035 label names"; Gateway API, GEP-1762 */
import { describe, expect, test } from "vitest";
import { infrastructureName, isOwnKey, labelsOf } from "./object-names.ts";

const gateway = (namespace: string, name: string) => ({
  group: "gateway.networking.k8s.io",
  kind: "Gateway",
  namespace,
  name,
});
const SERVICE_NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

describe("the name of a Gateway's objects", () => {
  for (const name of ["door", "a.b.c", "2nd", "x".repeat(253), `${"x".repeat(34)}-y`, `${"ab.".repeat(80)}z`]) {
    test(`is valid for a Service and leaves room for that of a Pod: ${name.slice(0, 40)}`, () => {
      const made = infrastructureName({ namespace: "default", name });
      expect(made).toMatch(SERVICE_NAME);
      // A Pod has the name of its ReplicaSet, with up to 17 characters more, and this is the value of a label.
      expect(made.length + 17).toBeLessThanOrEqual(63);
    });
  }

  test("differs between namespaces, and for names that are alike where they are short", () => {
    const names = [
      gateway("a", "door"),
      gateway("b", "door"),
      gateway("a", "do.or"),
      gateway("a", "do-or"),
      gateway("a", `${"x".repeat(100)}1`),
      gateway("a", `${"x".repeat(100)}2`),
    ].map(infrastructureName);
    expect(new Set(names).size).toBe(names.length);
    expect(infrastructureName(gateway("a", "door"))).toBe(names[0]);
  });

  test("is distinct for 20,000 Gateways", () => {
    const names = Array.from({ length: 20_000 }, (_, index) =>
      infrastructureName(gateway(`ns-${index % 100}`, `g${index}`)),
    );
    expect(new Set(names.map((name) => name.split("-").at(-1))).size).toBe(names.length);
  });
});

test("labels of a Gateway with a long name are valid", () => {
  for (const value of Object.values(
    labelsOf(gateway("n".repeat(63), `${"x".repeat(50)}.${"y".repeat(202)}`), "c".repeat(253)),
  )) {
    expect(value.length).toBeLessThanOrEqual(63);
    expect(value).toMatch(LABEL_VALUE);
  }
});

test("keys by which Services of the controller select Pods are its own", () => {
  expect(
    ["app.kubernetes.io/component", "prevail.dev/x", "gateway.networking.k8s.io/gateway-name"].every(isOwnKey),
  ).toBe(true);
  expect(["team", "example.com/app.kubernetes.io", "service.beta.kubernetes.io/aws"].some(isOwnKey)).toBe(false);
});
