/** The parts of a Pod that the rig reads. The API server has validated them. */
import type { JsonObject } from "../../../../src/core/model/json.ts";

export interface Pod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly automountServiceAccountToken?: boolean;
    readonly terminationGracePeriodSeconds?: number;
    readonly containers: readonly Container[];
    readonly volumes?: readonly Volume[];
  };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly readinessProbe?: { readonly httpGet?: { readonly path?: string; readonly port: number | string } };
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
    readonly configMapKeyRef?: { readonly name: string; readonly key: string };
  };
}

interface KeyToPath {
  readonly key: string;
  readonly path: string;
}

export interface SecretSource {
  readonly secretName?: string;
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
}

export interface ConfigMapSource {
  readonly name: string;
  readonly items?: readonly KeyToPath[];
}

export interface DownwardSource {
  readonly items?: readonly { readonly path: string; readonly fieldRef?: { readonly fieldPath: string } }[];
}

export interface Volume {
  readonly name: string;
  readonly secret?: SecretSource;
  readonly configMap?: ConfigMapSource;
  readonly downwardAPI?: DownwardSource;
  readonly projected?: {
    readonly sources: readonly {
      readonly secret?: SecretSource;
      readonly configMap?: ConfigMapSource;
      readonly downwardAPI?: DownwardSource;
    }[];
  };
}

export const parsePod = (object: JsonObject): Pod => object as unknown as Pod;

export const podName = ({ metadata: { namespace, name } }: Pod): string => `${namespace}/${name}`;

export const podPath = ({ metadata: { namespace, name } }: Pod): string =>
  `/api/v1/namespaces/${namespace}/pods/${name}`;
