/** Stands in for scheduler, kubelet, container runtime and load balancer: every Pod of the cluster is a process on this machine. */
import type { Server } from "node:https";
import { isNotFound } from "../../../../src/adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/adapters/cluster/client/kube-client.ts";
import type { ApiResource } from "../../../../src/adapters/cluster/client/resource.ts";
import { followKind } from "../../../../src/adapters/cluster/follow/kind-follower.ts";
import { objectKey } from "../../../../src/adapters/cluster/follow/object-key.ts";
import type { JsonObject } from "../../../../src/core/model/json.ts";
import type { GroupKind } from "../../../../src/core/model/refs.ts";
import { services } from "../../kubernetes/follow-services.ts";
import { createNode } from "./cluster-node.ts";
import { LoadBalancer } from "./load-balancer.ts";
import { parsePod, podName } from "./pod.ts";
import { startPodLogServer } from "./pod-log-server.ts";
import { type PodPrograms, RunningPod } from "./running-pod.ts";
import type { ApiServerForPods } from "./service-account.ts";

const core = (kind: GroupKind["kind"], plural: string): ApiResource => ({ ...services, kind, plural });
const PODS = core("Pod", "pods");
const SECRETS = core("Secret", "secrets");
const CONFIG_MAPS = core("ConfigMap", "configmaps");

export interface PodRunnerOptions {
  readonly client: KubeClient;
  readonly apiServer: ApiServerForPods;
  readonly folder: string;
  readonly programs: PodPrograms;
  readonly log: (line: string) => void;
}

export class PodRunner {
  readonly #options: PodRunnerOptions;
  /** By namespace and name. */
  readonly #pods = new Map<string, RunningPod>();
  readonly #balancer: LoadBalancer;
  readonly #ended = new AbortController();
  #logServer: Server | undefined;
  #started = 0;

  constructor(options: PodRunnerOptions) {
    this.#options = options;
    this.#balancer = new LoadBalancer(options.client, () => [...this.#pods.values()]);
  }

  async start(): Promise<void> {
    const { client, log } = this.#options;
    await createNode(client);
    this.#logServer = await startPodLogServer({
      findLog: (namespace, pod, container) => this.#pods.get(`${namespace}/${pod}`)?.logOf(container),
    });
    const { signal } = this.#ended;
    const onTrouble = (error: Error | undefined): void => {
      if (error !== undefined) log(error.message);
    };
    const follow = (
      resource: ApiResource,
      onUpsert: (object: JsonObject) => void,
      onDelete: (object: JsonObject) => void,
    ) =>
      followKind({
        client,
        resource,
        signal,
        onTrouble,
        onChanges: ({ upserted, deleted }) => {
          deleted.forEach(onDelete);
          upserted.forEach(onUpsert);
        },
      }).catch((error: unknown) => {
        if (!signal.aborted) log(String(error));
      });
    void follow(
      PODS,
      (object) => this.#update(object),
      (object) => this.#remove(podName(parsePod(object))),
    );
    void follow(
      services,
      (object) => this.#balancer.update(object),
      (object) => this.#balancer.remove(object),
    );
    for (const resource of [SECRETS, CONFIG_MAPS]) {
      void follow(
        resource,
        (object) => this.#refresh(resource.kind, object),
        () => undefined,
      );
    }
  }

  close(): void {
    this.#ended.abort();
    this.#logServer?.close();
  }

  #update(object: JsonObject): void {
    const pod = parsePod(object);
    const name = podName(pod);
    const running = this.#pods.get(name);
    const isSame = running?.pod.metadata.uid === pod.metadata.uid;
    if (running !== undefined && (!isSame || pod.metadata.deletionTimestamp !== undefined)) this.#stop(name, running);
    if (running !== undefined && isSame) return;
    const started = new RunningPod({ ...this.#options, pod, number: ++this.#started });
    this.#pods.set(name, started);
    if (pod.metadata.deletionTimestamp !== undefined) return this.#stop(name, started);
    this.#report(
      name,
      started.start().then(() => this.#balancer.balance()),
    );
  }

  #refresh(kind: string, object: JsonObject): void {
    const [namespace = "", name = ""] = objectKey(object).split("/");
    for (const [pod, running] of this.#pods) this.#report(pod, running.refresh(kind, namespace, name));
  }

  #remove(name: string): void {
    const running = this.#pods.get(name);
    if (running !== undefined) this.#stop(name, running);
  }

  /** It is known until it is gone, because its last events come while it stops. */
  #stop(name: string, running: RunningPod): void {
    const forget = (): Promise<void> => {
      if (this.#pods.get(name) === running) this.#pods.delete(name);
      return this.#balancer.balance();
    };
    const stopped = running.stop();
    // While it ends, clients are led to others.
    this.#report(name, Promise.all([this.#balancer.balance(), stopped.then(forget)]));
  }

  /** A Pod that is deleted while it starts is no failure. */
  #report(name: string, done: Promise<unknown>): void {
    done.catch((error: unknown) => {
      if (!this.#ended.signal.aborted && !isNotFound(error)) this.#options.log(`${name}: ${String(error)}`);
    });
  }
}
