/**
 * trace --from NAMESPACE follows a request in a mesh.
 * Policy attachment reference, "Policy Attachment for Mesh"
 * GEP-1294, "Multiple routes for a Service"
 */
import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

const files = {
  "mesh.yaml": `apiVersion: prevail.dev/v1alpha1
kind: PolicyDefinition
metadata: {name: timeoutpolicies.example.com}
spec:
  policies: [{group: example.com, kind: TimeoutPolicy}]
  class: Inherited
  targeting:
    crossNamespace: Consumer
    kinds: [Service, HTTPRoute]
  hierarchy: {effectiveTargets: [Service]}
---
apiVersion: v1
kind: Service
metadata: {name: foo, namespace: producer}
spec: {ports: [{name: http, port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: foo-a, namespace: producer}
spec: {ports: [{name: http, port: 80}]}
---
apiVersion: example.com/v1
kind: TimeoutPolicy
metadata: {name: ours, namespace: consumer}
spec: {targetRef: {group: "", kind: Service, namespace: producer, name: foo}, overrides: {timeout: 1s}}
---
apiVersion: example.com/v1
kind: TimeoutPolicy
metadata: {name: theirs, namespace: producer}
spec: {targetRef: {group: "", kind: Service, name: foo}, timeout: 9s, attempts: 3}
`,
  "route.yaml": `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: split, namespace: producer}
spec:
  parentRefs: [{group: "", kind: Service, name: foo}]
  rules: [{matches: [{path: {type: PathPrefix, value: /menu}}], backendRefs: [{name: foo-a, port: 80}]}]
`,
};
const trace = (line: string, more = "") => runCli(`trace GET ${line} -f mesh.yaml ${more}`, { files });

describe("trace --from", () => {
  test("no route: the policies on the Service, for the requests of the namespace", async () => {
    const { stdout, code } = await trace("http://foo.producer/menu --from consumer");
    expect(code).toBe(0);
    expect(stdout).toContain("No route carries the request: it goes to the Service itself.");
    expect(stdout).toMatch(/timeout: 1s/);
    expect(stdout).not.toMatch(/timeout: 9s\n\s+from/);
    expect((await trace("http://foo.producer.svc.cluster.local/menu --from shop")).stdout).toMatch(/timeout: 9s/);
    expect((await trace("http://foo/menu --from producer")).stdout).toMatch(/timeout: 9s/);
  });

  test("a route: its rule, its backends, and the policies on that path", async () => {
    const { stdout } = await trace("http://foo.producer/menu --from consumer", "-f route.yaml");
    expect(stdout).toContain("Rule HTTPRoute producer/split#rule-1");
    expect(stdout).toContain("Service producer/foo-a");
    expect(stdout).toMatch(/timeout: 1s/);
    expect((await trace("http://foo.producer/x --from consumer", "-f route.yaml")).stdout).toContain(
      "No rule of the one route",
    );
  });

  test("says what is not modelled", async () => {
    expect((await trace("http://foo.producer/ --from consumer")).stdout.replace(/\s+/g, " ")).toContain(
      "Workloads are not modelled",
    );
    const { stdout } = await trace("http://foo.producer/ --from consumer -o json");
    expect(JSON.parse(stdout)).toMatchObject({
      kind: "MeshTrace",
      from: "consumer",
      outcome: "Unrouted",
      notes: [expect.stringContaining("Workloads")],
    });
    expect((await runCli("trace --help")).stdout.replace(/\s+/g, " ")).toContain(
      "workloads within a namespace are not modelled",
    );
  });

  test("a host that names no Service, a port that it does not have, and both flags", async () => {
    expect((await trace("http://fo.producer/ --from consumer")).stderr).toContain("did you mean 'foo.producer'?");
    const { code, stderr } = await trace("http://foo.producer/ --from consumr");
    expect([code, stderr]).toEqual([
      64,
      "error: --from consumr: no object is in namespace 'consumr'; did you mean 'consumer'?\n",
    ]);
    expect((await trace("http://foo.producer:81/ --from consumer")).stdout).toContain("It has no port 81; it has: 80.");
    expect((await trace("http://foo.producer/ --from consumer --gateway g")).code).toBe(64);
  });
});
