/** What a Pod gets from other objects and from its own fields: environment variables and the files of its volumes. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { KubeClient } from "../../../../src/adapters/cluster/client/kube-client.ts";
import { NODE_ADDRESS } from "../rig-network.ts";
import { NODE_NAME } from "./cluster-node.ts";
import type { ConfigMapSource, Container, DownwardSource, Pod, SecretSource, Volume } from "./pod.ts";

type Files = ReadonlyMap<string, string | Buffer>;

/** Reads what one Pod refers to. A request for an object that does not exist yet rejects: a kubelet waits for it. */
export class PodData {
  readonly #client: KubeClient;
  readonly #pod: Pod;
  readonly #address: string;
  /** What was written, by the name of the volume. */
  readonly #written = new Map<string, Files>();
  #versions = 0;

  constructor(client: KubeClient, pod: Pod, address: string) {
    this.#client = client;
    this.#pod = pod;
    this.#address = address;
  }

  /** The variables of a container. A later one can refer to earlier ones: `$(NAME)`. */
  async environment({ env = [] }: Container): Promise<Readonly<Record<string, string>>> {
    const variables: Record<string, string> = {};
    for (const { name, value = "", valueFrom } of env) {
      const { fieldRef, secretKeyRef, configMapKeyRef } = valueFrom ?? {};
      if (fieldRef !== undefined) variables[name] = this.#field(fieldRef.fieldPath);
      else if (secretKeyRef !== undefined)
        variables[name] = String((await this.#secret(secretKeyRef)).get(secretKeyRef.key) ?? "");
      else if (configMapKeyRef !== undefined)
        variables[name] = String((await this.#configMap(configMapKeyRef)).get(configMapKeyRef.key) ?? "");
      else variables[name] = expandVariables(value, variables);
    }
    return variables;
  }

  /** True if a volume has files of this object. */
  mounts(kind: string, name: string): boolean {
    const sources = (this.#pod.spec.volumes ?? []).flatMap((volume) => [volume, ...(volume.projected?.sources ?? [])]);
    return sources.some(({ secret, configMap }) =>
      kind === "Secret" ? (secret?.secretName ?? secret?.name) === name : configMap?.name === name,
    );
  }

  /** Writes the volumes whose content has changed into the folder, and returns the folder of each by name. */
  async volumes(folder: string): Promise<ReadonlyMap<string, string>> {
    const folders = new Map<string, string>();
    for (const volume of this.#pod.spec.volumes ?? []) {
      const path = join(folder, volume.name);
      const files = await this.#files(volume);
      if (!isDeepStrictEqual(this.#written.get(volume.name), files)) this.#replace(path, files);
      this.#written.set(volume.name, files);
      folders.set(volume.name, path);
    }
    return folders;
  }

  /** As the kubelet does: each file is a link into a folder `..data`, and that is a link which is replaced at once. */
  #replace(path: string, files: Files): void {
    const version = `..${++this.#versions}`;
    mkdirSync(join(path, version), { recursive: true });
    for (const [file, data] of files) {
      mkdirSync(dirname(join(path, version, file)), { recursive: true });
      writeFileSync(join(path, version, file), data);
      const [first = ""] = file.split("/");
      if (!existsSync(join(path, first))) {
        rmSync(join(path, first), { force: true });
        symlinkSync(join("..data", first), join(path, first));
      }
    }
    symlinkSync(version, join(path, "..next"));
    renameSync(join(path, "..next"), join(path, "..data"));
  }

  async #files({ secret, configMap, downwardAPI, projected }: Omit<Volume, "name">): Promise<Files> {
    const files = new Map<string, string | Buffer>();
    const add = (more: Files): void => more.forEach((data, path) => files.set(path, data));
    if (secret !== undefined) add(await this.#secret(secret));
    if (configMap !== undefined) add(await this.#configMap(configMap));
    if (downwardAPI !== undefined) add(this.#downward(downwardAPI));
    for (const source of projected?.sources ?? []) add(await this.#files(source));
    return files;
  }

  async #secret({ secretName, name, items }: SecretSource): Promise<Files> {
    const data = await this.#read("secrets", secretName ?? name ?? "");
    return chosen(new Map([...data].map(([key, text]) => [key, Buffer.from(text, "base64")])), items);
  }

  async #configMap({ name, items }: ConfigMapSource): Promise<Files> {
    return chosen(await this.#read("configmaps", name), items);
  }

  #downward({ items = [] }: DownwardSource): Files {
    return new Map(
      items.map(({ path, fieldRef }) => [path, fieldRef === undefined ? "" : this.#field(fieldRef.fieldPath)]),
    );
  }

  async #read(plural: string, name: string): Promise<ReadonlyMap<string, string>> {
    const { namespace } = this.#pod.metadata;
    const object = await this.#client.request({ path: `/api/v1/namespaces/${namespace}/${plural}/${name}` });
    return new Map(Object.entries(object["data"] ?? {}).map(([key, value]) => [key, String(value)]));
  }

  #field(path: string): string {
    const { metadata, spec } = this.#pod;
    const [, map, key = ""] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
    if (map !== undefined) return (map === "labels" ? metadata.labels : metadata.annotations)?.[key] ?? "";
    const fields: Readonly<Record<string, string>> = {
      "metadata.name": metadata.name,
      "metadata.namespace": metadata.namespace,
      "metadata.uid": metadata.uid,
      "spec.nodeName": NODE_NAME,
      "spec.serviceAccountName": spec.serviceAccountName ?? "default",
      "status.podIP": this.#address,
      "status.podIPs": this.#address,
      "status.hostIP": NODE_ADDRESS,
    };
    return fields[path] ?? "";
  }
}

const chosen = (files: Files, items: SecretSource["items"]): Files =>
  items === undefined ? files : new Map(items.map(({ key, path }) => [path, files.get(key) ?? ""]));

/** Kubernetes, "Define Dependent Environment Variables": `$(NAME)` of an unknown variable stays as it is. */
export const expandVariables = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\((\w+)\)/g, (all, name: string) => variables[name] ?? all);
