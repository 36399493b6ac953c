import { expect, test } from "vitest";
import { splitKeyMaterial } from "./key-material.ts";

const decode = (text: string): string => Buffer.from(text, "base64").toString("utf8");
const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
const secret = (more: object, namespace: string | undefined = "infra") => ({
  value: { apiVersion: "v1", kind: "Secret", metadata: { name: "tls", ...(namespace ? { namespace } : {}) }, ...more },
});

test("a Secret's certificate and key come out of it, and nothing of them stays", () => {
  const data = { "tls.crt": encode("CERT"), "tls.key": encode("KEY"), other: encode("hidden") };
  const { documents, keyMaterial } = splitKeyMaterial([secret({ type: "kubernetes.io/tls", data })], decode);
  expect([...keyMaterial.certificates]).toEqual([["infra/tls", { chain: "CERT", privateKey: "KEY" }]]);
  expect(documents).toEqual([secret({ type: "kubernetes.io/tls" })]);
});

test("stringData is how people write it, and it wins", () => {
  const written = { data: { "tls.crt": encode("old"), "tls.key": encode("KEY") }, stringData: { "tls.crt": "new" } };
  const { keyMaterial } = splitKeyMaterial([secret(written)], decode);
  expect(keyMaterial.certificates.get("infra/tls")).toEqual({ chain: "new", privateKey: "KEY" });
});

test("a Secret with half of it has no certificate, and its contents still go", () => {
  const { documents, keyMaterial } = splitKeyMaterial([secret({ stringData: { "tls.key": "KEY" } })], decode);
  expect(JSON.stringify([documents, [...keyMaterial.certificates]])).not.toContain("KEY");
});

test("no namespace: the default one", () => {
  const stringData = { "tls.crt": "c", "tls.key": "k" };
  const { keyMaterial } = splitKeyMaterial([secret({ stringData }, "")], decode);
  expect([...keyMaterial.certificates.keys()]).toEqual(["default/tls"]);
});

test("ca.crt of a ConfigMap is an authority, and the ConfigMap stays as it is", () => {
  const map = {
    value: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ca", namespace: "a" }, data: { "ca.crt": "PEM" } },
  };
  const { documents, keyMaterial } = splitKeyMaterial([map], decode);
  expect([...keyMaterial.authorities]).toEqual([["a/ca", "PEM"]]);
  expect(documents).toEqual([map]);
});

test("other documents and wrong types pass through", () => {
  const odd = [{ value: 7 }, { value: { apiVersion: "v1", kind: "Secret", data: 7 } }, { value: { kind: "Secret" } }];
  expect(() => splitKeyMaterial(odd, decode)).not.toThrow();
});
