/** One Pod: from its volumes to a status that says Ready, and its end. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isConflict, isNotFound } from "../../../../src/adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/adapters/cluster/client/kube-client.ts";
import { addPodAddress, createPodNetwork, NODE_ADDRESS, type PodNetwork, removePodNetwork } from "../rig-network.ts";
import { NODE_NAME, timestamp } from "./cluster-node.ts";
import { type ContainerOptions, type RunningContainer, startContainer } from "./container.ts";
import { type Container, type Pod, podName, podPath } from "./pod.ts";
import { expandVariables, PodData } from "./pod-data.ts";
import type { LogLine } from "./pod-log-server.ts";
import { type ApiServerForPods, mountServiceAccount } from "./service-account.ts";

/** The program of an image: a path below the folder of programs, which the container sees as `/opt/rig`. */
export interface PodPrograms {
  readonly folder: string;
  /** Undefined for an image that the rig does not have. */
  readonly find: (image: string) => PodProgram | undefined;
}

export interface PodProgram {
  readonly command: readonly string[];
  /** The arguments of the container are given to the program. */
  readonly takesArguments: boolean;
}

export interface RunningPodOptions {
  readonly client: KubeClient;
  readonly apiServer: ApiServerForPods;
  readonly pod: Pod;
  /** Distinct for each Pod: its network and its address come from it. */
  readonly number: number;
  readonly folder: string;
  readonly programs: PodPrograms;
  readonly log: (line: string) => void;
}

const PAUSE_MS = 50;
/** A kubelet waits as long as the Pod says. Nothing in the rig needs longer to end. */
const LONGEST_GRACE_MS = 5000;
/** Long enough for clients that see the Pod leave. */
const LONGEST_SLEEP_MS = 3000;

export class RunningPod {
  readonly #options: RunningPodOptions;
  readonly #folder: string;
  readonly #containers = new Map<string, RunningContainer>();
  #network: PodNetwork | undefined;
  #data: PodData | undefined;
  readonly #addresses = new Set<string>();
  #isReady = false;
  #isStopping = false;
  #stopped: Promise<void> | undefined;

  constructor(options: RunningPodOptions) {
    this.#options = options;
    this.#folder = join(options.folder, options.pod.metadata.uid);
  }

  get pod(): Pod {
    return this.#options.pod;
  }

  /** The address of a Pod that is Ready. */
  get readyAddress(): string | undefined {
    return this.#isReady && !this.#isStopping ? this.#network?.address : undefined;
  }

  logOf(container: string): readonly LogLine[] | undefined {
    return this.#containers.get(container)?.log;
  }

  /** Resolves when the Pod is Ready, or stopped before that. */
  async start(): Promise<void> {
    const { client, pod, number, log } = this.#options;
    await this.#bind();
    this.#network = await createPodNetwork(number);
    const data = new PodData(client, pod, this.#network.address);
    const account = await mountServiceAccount(this.#options, join(this.#folder, "service-account"));
    this.#data = data;
    const volumes = await this.#whenPresent(() => data.volumes(join(this.#folder, "volumes")));
    if (volumes === undefined) return;
    for (const container of pod.spec.containers) {
      const environment = await this.#whenPresent(() => data.environment(container));
      if (environment === undefined) return;
      const known = { ...account?.environment, ...environment };
      await this.#startContainer(container, this.#network, known, [
        ...mountsOf(container, volumes),
        ...(account?.mounts ?? []),
      ]);
    }
    await this.#writeStatus(this.#network, "False");
    await this.#untilReady(this.#network);
    if (this.#isStopping) return;
    await this.#writeStatus(this.#network, "True");
    this.#isReady = true;
    log(`${podName(pod)}: ready at ${this.#network.address}`);
  }

  /** Writes the volumes again that have files of this object. */
  async refresh(kind: string, namespace: string, name: string): Promise<void> {
    if (this.#isStopping || namespace !== this.pod.metadata.namespace || this.#data?.mounts(kind, name) !== true)
      return;
    await this.#data.volumes(join(this.#folder, "volumes"));
  }

  /** Gives it a further address. */
  async addAddress(address: string): Promise<void> {
    if (this.#network === undefined || this.#addresses.has(address)) return;
    this.#addresses.add(address);
    await addPodAddress(this.#network, address);
  }

  /** Ends the processes, and lets the API server forget a Pod that is being deleted. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    const { client, pod, log } = this.#options;
    await sleep(Math.min(preStopMs(pod), LONGEST_SLEEP_MS));
    const graceMs = Math.min((pod.spec.terminationGracePeriodSeconds ?? 30) * 1000, LONGEST_GRACE_MS);
    await Promise.all([...this.#containers.values()].map((container) => container.stop(graceMs)));
    const { uid } = pod.metadata;
    const body = { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0, preconditions: { uid } };
    // Its address refuses connections for as long as the cluster may know it.
    await client.request({ method: "DELETE", path: podPath(pod), body }).catch((error: unknown) => {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
    if (this.#network !== undefined) await removePodNetwork(this.#network);
    rmSync(this.#folder, { recursive: true, force: true });
    log(`${podName(pod)}: gone`);
  }

  async #bind(): Promise<void> {
    const { client, pod } = this.#options;
    if (pod.spec.nodeName !== undefined) return;
    const target = { apiVersion: "v1", kind: "Node", name: NODE_NAME };
    const body = { apiVersion: "v1", kind: "Binding", metadata: { name: pod.metadata.name }, target };
    await client.request({ method: "POST", path: `${podPath(pod)}/binding`, body });
  }

  /** The suite creates Secrets after the Deployments that mount them, so a missing object is waited for. Undefined if the Pod is stopped meanwhile. */
  async #whenPresent<T>(read: () => Promise<T>): Promise<T | undefined> {
    while (!this.#isStopping) {
      try {
        return await read();
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      await sleep(PAUSE_MS * 4);
    }
    return undefined;
  }

  async #startContainer(
    container: Container,
    network: PodNetwork,
    environment: Readonly<Record<string, string>>,
    mounts: ContainerOptions["mounts"],
  ): Promise<void> {
    const { pod, programs, log } = this.#options;
    const program = programs.find(container.image);
    if (program === undefined)
      return log(`${podName(pod)}: there is no program for the image ${container.image}, so it does not become ready`);
    const args = program.takesArguments ? (container.args ?? []) : [];
    const running = await startContainer({
      network,
      folder: join(this.#folder, "containers", container.name),
      programs: programs.folder,
      command: [...program.command, ...args].map((text) => expandVariables(text, environment)),
      environment,
      mounts,
    });
    this.#containers.set(container.name, running);
  }

  async #untilReady({ address }: PodNetwork): Promise<void> {
    const { pod, log } = this.#options;
    let hasReported = false;
    for (const container of pod.spec.containers) {
      const { path = "/", port } = container.readinessProbe?.httpGet ?? {};
      const number = portNumber(container, port);
      const url = number === undefined ? undefined : `http://${address}:${number}${path}`;
      while (!this.#isStopping) {
        const running = this.#containers.get(container.name);
        if (running?.listens() === true && (url === undefined || (await succeeds(url)))) break;
        if (running?.hasEnded() === true && !hasReported) {
          hasReported = true;
          log(`${podName(pod)}: ${container.name} has ended: ${running.log.at(-1)?.text ?? ""}`);
        }
        await sleep(PAUSE_MS);
      }
    }
  }

  async #writeStatus({ address }: PodNetwork, isReady: "True" | "False"): Promise<void> {
    const { client, pod } = this.#options;
    const now = timestamp(Date.now());
    const types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
    const statusOf = (type: string): string => (type.endsWith("Ready") ? isReady : "True");
    const status = {
      phase: "Running",
      podIP: address,
      podIPs: [{ ip: address }],
      hostIP: NODE_ADDRESS,
      hostIPs: [{ ip: NODE_ADDRESS }],
      startTime: now,
      conditions: types.map((type) => ({ type, status: statusOf(type), lastTransitionTime: now })),
      containerStatuses: pod.spec.containers.map(({ name, image }) => ({
        name,
        image,
        imageID: image,
        containerID: `rig://${pod.metadata.uid}`,
        ready: isReady === "True",
        started: true,
        restartCount: 0,
        state: { running: { startedAt: now } },
      })),
    };
    const contentType = "application/merge-patch+json";
    await client.request({ method: "PATCH", path: `${podPath(pod)}/status`, contentType, body: { status } });
  }
}

const mountsOf = ({ volumeMounts = [] }: Container, volumes: ReadonlyMap<string, string>): ContainerOptions["mounts"] =>
  volumeMounts.flatMap(({ name, mountPath }) => {
    const from = volumes.get(name);
    return from === undefined ? [] : [{ from, to: mountPath }];
  });

/** The number of a port that a probe names, by its number or by its name in the container. */
const portNumber = ({ ports = [] }: Container, port: number | string | undefined): number | undefined =>
  typeof port === "string" ? ports.find(({ name }) => name === port)?.containerPort : port;

/** The longest sleep before its containers are asked to end. */
const preStopMs = ({ spec }: Pod): number =>
  Math.max(0, ...spec.containers.map(({ lifecycle }) => (lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000));

const succeeds = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
