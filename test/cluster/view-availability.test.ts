/** The view API is never a burden: namespaces can be deleted while its replicas restart, and after the documented rescue when all of them are gone. */
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CertifiedKey,
  makeAuthority,
  signCertificate,
} from "../../src/adapters/certificates/make-certificates.ts";
import { findFreePorts } from "../support/gateway/find-free-ports.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { CLUSTER_START, CLUSTER_TEST, until } from "../support/kubernetes/until.ts";
import {
  type Balancer,
  installViewApi,
  startBalancer,
  startViewProgram,
  startViewReplica,
  untilServed,
  VIEW_NAMESPACE,
  type ViewReplica,
} from "../support/kubernetes/view-replica.ts";

const parts = await findKubernetes();
const API_SERVICE = "v1alpha1.view.prevail.dev";

describe.skipIf(parts === undefined)("namespaces of a cluster with the view API", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let balancer: Balancer;
  let replicas: readonly ViewReplica[] = [];
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts, { frontProxy: true, controllers: ["namespace-controller"] });
    balancer = await startBalancer();
    await installViewApi(plane, balancer.port);
    await serve([await startViewReplica(plane), await startViewReplica(plane)]);
    await untilServed(plane);
  }, CLUSTER_START);
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await balancer?.close();
    await plane?.close();
  });

  /** Connections go to these replicas from now on. */
  const serve = async (next: readonly ViewReplica[]): Promise<void> => {
    balancer.use(next.map(({ port }) => port));
    await Promise.all(replicas.filter((replica) => !next.includes(replica)).map((replica) => replica.close()));
    replicas = next;
  };
  const kubectl = (line: string): Promise<string> => plane.kubectl(line.split(" "));
  const exists = async (namespace: string): Promise<boolean> =>
    (await kubectl(`get namespace ${namespace} --ignore-not-found -o name`)) !== "";
  const fill = async (namespace: string): Promise<void> => {
    await kubectl(`create namespace ${namespace}`);
    await kubectl(`create configmap filled -n ${namespace}`);
  };
  const condition = (namespace: string, type: string): Promise<string> =>
    kubectl(`get namespace ${namespace} -o jsonpath={.status.conditions[?(@.type=="${type}")].status}`);

  test("are deleted while replicas restart, one after the other", async () => {
    for (let round = 0; round < 4; round++) {
      const namespace = `restart-${round}`;
      await fill(namespace);
      const deleting = kubectl(`delete namespace ${namespace} --timeout=100s`);
      const [leaving, staying] = [replicas[round % 2], replicas[(round + 1) % 2]];
      if (leaving === undefined || staying === undefined) throw new Error("there are two replicas");
      await serve([staying]);
      const fresh = await startViewReplica(plane);
      await serve(round % 2 === 0 ? [fresh, staying] : [staying, fresh]);
      await deleting;
      expect(await exists(namespace)).toBe(false);
    }
  });

  test("stay if all replicas are gone, until the APIService is deleted", async () => {
    await serve([]);
    await until(
      async () =>
        (await kubectl(`get apiservice ${API_SERVICE} -o jsonpath={.status.conditions[*].status}`)) === "False",
    );
    await fill("stuck");
    await kubectl("delete namespace stuck --wait=false");
    await until(async () => (await condition("stuck", "NamespaceDeletionDiscoveryFailure")) === "True");
    await sleep(3000);
    expect(await exists("stuck")).toBe(true);
    // docs/view-api.md, "Availability"
    await kubectl(`delete apiservice ${API_SERVICE}`);
    await until(async () => !(await exists("stuck")));
  });

  test("the view API comes back when it is installed again", async () => {
    await serve([await startViewReplica(plane)]);
    await installViewApi(plane, balancer.port);
    // The replica adds its authority within 15 seconds.
    await untilServed(plane);
    expect(await kubectl("get effectivepolicies -A")).toBe("");
  });

  test("the built program serves it, and SIGTERM ends it", async () => {
    const [port = 0] = await findFreePorts(1);
    const program = await startViewProgram(plane, port);
    balancer.use([port]);
    await untilServed(plane);
    expect(await kubectl("get effectivepolicies -A")).toBe("");
    expect(await program.close()).toBe(0);
    balancer.use(replicas.map((replica) => replica.port));
  });

  test("certificates given by files: files of another authority are used without a failed call", async () => {
    const files = { certificate: join(plane.folder, "tls.crt"), privateKey: join(plane.folder, "tls.key") };
    const [first, second] = [await makeServing(), await makeServing()];
    const write = ({ serving }: Serving): void => {
      writeFileSync(files.privateKey, serving.privateKey);
      writeFileSync(files.certificate, serving.certificate);
    };
    write(first);
    // A replica with a certificate of its own would write its authority; a tool such as the CA injector of cert-manager writes those of files.
    const replica = await startViewReplica(plane, { certificateFiles: files });
    await serve([replica]);
    const caBundle = Buffer.from(`${first.authority}\n${second.authority}\n`).toString("base64");
    await plane.kubectl([
      "patch",
      "apiservice",
      API_SERVICE,
      "--type=merge",
      "-p",
      JSON.stringify({ spec: { caBundle } }),
    ]);
    await untilServed(plane);
    expect(await fingerprintAt(replica.port)).toBe(fingerprintOf(first));
    const failures: string[] = [];
    const client = await clientAs(plane);
    const call = (): Promise<unknown> =>
      client
        .request({ path: "/apis/view.prevail.dev/v1alpha1/effectivepolicies" })
        .catch((error: unknown) => failures.push(error instanceof Error ? error.message : String(error)));
    write(second);
    await until(async () => {
      await call();
      return (await fingerprintAt(replica.port)) === fingerprintOf(second);
    });
    for (let i = 0; i < 20; i++) await call();
    expect(failures).toEqual([]);
    client.close();
    expect(replica.notes).toContain("the certificate has changed");
    // The API server connects anew, and trusts the other authority.
    balancer.use([replica.port]);
    await untilServed(plane);
  });
});

interface Serving {
  readonly authority: string;
  readonly serving: CertifiedKey;
}

async function makeServing(): Promise<Serving> {
  const validity = { nowMs: Date.now(), days: 1 };
  const authority = await makeAuthority({ commonName: "issuer", ...validity });
  const host = `prevail-view.${VIEW_NAMESPACE}.svc`;
  const serving = await signCertificate(authority, {
    commonName: host,
    dnsNames: [host],
    usage: "Server",
    ...validity,
  });
  return { authority: authority.certificate, serving };
}

const fingerprintOf = ({ serving }: Serving): string => new X509Certificate(serving.certificate).fingerprint256;

/** The certificate of the server at a port. It closes the connection afterwards, as there is no client certificate. */
function fingerprintAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}
