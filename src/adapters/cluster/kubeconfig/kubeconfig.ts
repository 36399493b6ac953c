/** The content of kubeconfig files, as far as it is needed to reach a cluster. Paths are absolute. */
export interface KubeConfig {
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, KubeContext>;
  readonly clusters: ReadonlyMap<string, KubeCluster>;
  readonly users: ReadonlyMap<string, KubeUser>;
  /** The files that were read, for messages. */
  readonly files: readonly string[];
}

export interface KubeContext {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string | undefined;
}

export interface KubeCluster {
  readonly server: string;
  /** PEM, or a file that has it. Neither: the authorities of the system. */
  readonly authority: DataOrFile | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly tlsServerName: string | undefined;
  readonly proxyUrl: string | undefined;
  /** Extra data for exec plugins: the extension `client.authentication.k8s.io/exec`. */
  readonly execConfig: unknown;
}

/** `data` is decoded already. */
export type DataOrFile = { readonly data: string } | { readonly file: string };

export interface KubeUser {
  readonly certificate: DataOrFile | undefined;
  readonly key: DataOrFile | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly impersonate: Impersonation | undefined;
  readonly exec: ExecPlugin | undefined;
  readonly authProvider: AuthProvider | undefined;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
}

/** A program that prints credentials (Kubernetes, "client-go credential plugins"). */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  readonly installHint: string | undefined;
}

/** An authentication provider of older kubeconfig files. Only `oidc` still exists in Kubernetes. */
export interface AuthProvider {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}
