/**
 * Services of type LoadBalancer have the address of their first Pod that is Ready: it listens on the port of the Service. One that asks for an address gets it, if that
 * is one of `POOL`, and none else; the Pod gets it too.
 */
import { isNotFound } from "../../../../src/adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/adapters/cluster/client/kube-client.ts";
import { objectKey } from "../../../../src/adapters/cluster/follow/object-key.ts";
import { type JsonObject, objectAt, objectsIn, textAt } from "../../../../src/core/model/json.ts";
import type { RunningPod } from "./running-pod.ts";

/** Addresses that Services can ask for. Pods do not have them of their own. */
const POOL = "10.244.200.";

interface Balanced {
  readonly namespace: string;
  readonly name: string;
  readonly selector: ReadonlyArray<readonly [string, unknown]>;
  readonly asked: string;
  /** What the status of the Service says. */
  address: string | undefined;
}

export class LoadBalancer {
  readonly #client: KubeClient;
  readonly #pods: () => readonly RunningPod[];
  readonly #services = new Map<string, Balanced>();

  constructor(client: KubeClient, pods: () => readonly RunningPod[]) {
    this.#client = client;
    this.#pods = pods;
  }

  update(service: JsonObject): void {
    const spec = objectAt(service, "spec");
    const selector = Object.entries(objectAt(spec, "selector"));
    if (textAt(spec, "type") !== "LoadBalancer" || selector.length === 0) return this.remove(service);
    const metadata = objectAt(service, "metadata");
    const [ingress] = objectsIn(objectAt(objectAt(service, "status"), "loadBalancer")["ingress"]);
    const address = ingress === undefined ? undefined : textAt(ingress, "ip");
    const [namespace, name] = [textAt(metadata, "namespace"), textAt(metadata, "name")];
    const balanced = { namespace, name, selector, asked: textAt(spec, "loadBalancerIP"), address };
    this.#services.set(objectKey(service), balanced);
    void this.#write(balanced);
  }

  remove(service: JsonObject): void {
    this.#services.delete(objectKey(service));
  }

  async balance(): Promise<void> {
    await Promise.all([...this.#services.values()].map((service) => this.#write(service)));
  }

  async #write(service: Balanced): Promise<void> {
    const { namespace, name, selector } = service;
    const selected = this.#pods().filter(
      ({ pod: { metadata } }) =>
        metadata.namespace === namespace && selector.every(([key, value]) => metadata.labels?.[key] === value),
    );
    const ready = selected.find(({ readyAddress }) => readyAddress !== undefined);
    const address = service.asked === "" ? ready?.readyAddress : askedOf(service);
    if (service.asked !== "" && address !== undefined) await ready?.addAddress(address);
    if (address === service.address) return;
    service.address = address;
    const ingress = address === undefined ? [] : [{ ip: address }];
    await this.#client
      .request({
        method: "PATCH",
        path: `/api/v1/namespaces/${namespace}/services/${name}/status`,
        contentType: "application/merge-patch+json",
        body: { status: { loadBalancer: { ingress } } },
      })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}

const askedOf = ({ asked }: Balanced): string | undefined => (asked.startsWith(POOL) ? asked : undefined);
