import { dirname, resolve } from "node:path";
import { isJsonObject, type JsonObject, objectsIn, ownValue, textsIn } from "../../../core/model/json.ts";
import { ClusterError } from "../cluster-error.ts";
import type {
  AuthProvider,
  DataOrFile,
  ExecPlugin,
  Impersonation,
  KubeCluster,
  KubeConfig,
  KubeContext,
  KubeUser,
} from "./kubeconfig.ts";

/** Reads one kubeconfig file. Relative paths in it are relative to the file. Throws a `ClusterError` that names the file and the field. */
export function parseKubeConfig(value: unknown, file: string): KubeConfig {
  const reader: Reader = { file, folder: dirname(file) };
  if (value === undefined || value === null) return emptyKubeConfig([file]);
  if (!isJsonObject(value)) throw new ClusterError(`${file} is not a kubeconfig file: expected a map at the top`);
  return {
    currentContext: text(reader, value, "current-context"),
    contexts: named(reader, value, "contexts", "context", parseContext),
    clusters: named(reader, value, "clusters", "cluster", parseCluster),
    users: named(reader, value, "users", "user", parseUser),
    files: [file],
  };
}

export const emptyKubeConfig = (files: readonly string[]): KubeConfig => ({
  currentContext: undefined,
  contexts: new Map(),
  clusters: new Map(),
  users: new Map(),
  files,
});

/** Merges files as kubectl does: the first file that has a name, or sets the current context, wins. */
export function mergeKubeConfigs(configs: readonly KubeConfig[]): KubeConfig {
  const first = <T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> => {
    const merged = new Map<string, T>();
    for (const map of maps) for (const [name, value] of map) if (!merged.has(name)) merged.set(name, value);
    return merged;
  };
  return {
    currentContext: configs.map((config) => config.currentContext).find((name) => name !== undefined && name !== ""),
    contexts: first(configs.map(({ contexts }) => contexts)),
    clusters: first(configs.map(({ clusters }) => clusters)),
    users: first(configs.map(({ users }) => users)),
    files: configs.flatMap(({ files }) => files),
  };
}

interface Reader {
  readonly file: string;
  readonly folder: string;
}

function named<T>(
  reader: Reader,
  config: JsonObject,
  list: string,
  field: string,
  parse: (reader: Reader, value: JsonObject, at: string) => T,
): ReadonlyMap<string, T> {
  const parsed = new Map<string, T>();
  objectsIn(ownValue(config, list)).forEach((entry, index) => {
    const name = text(reader, entry, "name");
    if (name === undefined) throw wrong(reader, `${list}[${index}].name`, "a name");
    const value = ownValue(entry, field);
    if (!parsed.has(name)) parsed.set(name, parse(reader, isJsonObject(value) ? value : {}, `${list} '${name}'`));
  });
  return parsed;
}

const parseContext = (reader: Reader, context: JsonObject): KubeContext => ({
  cluster: text(reader, context, "cluster") ?? "",
  user: text(reader, context, "user") ?? "",
  namespace: text(reader, context, "namespace"),
});

function parseCluster(reader: Reader, cluster: JsonObject, at: string): KubeCluster {
  const extensions = objectsIn(ownValue(cluster, "extensions"));
  const forExec = extensions.find((one) => ownValue(one, "name") === "client.authentication.k8s.io/exec");
  return {
    server: text(reader, cluster, "server") ?? "",
    authority: dataOrFile(reader, cluster, "certificate-authority", at),
    insecureSkipTlsVerify: ownValue(cluster, "insecure-skip-tls-verify") === true,
    tlsServerName: text(reader, cluster, "tls-server-name"),
    proxyUrl: text(reader, cluster, "proxy-url"),
    execConfig: forExec === undefined ? undefined : ownValue(forExec, "extension"),
  };
}

function parseUser(reader: Reader, user: JsonObject, at: string): KubeUser {
  const tokenFile = text(reader, user, "tokenFile");
  return {
    certificate: dataOrFile(reader, user, "client-certificate", at),
    key: dataOrFile(reader, user, "client-key", at),
    token: text(reader, user, "token"),
    tokenFile: tokenFile === undefined ? undefined : resolve(reader.folder, tokenFile),
    username: text(reader, user, "username"),
    password: text(reader, user, "password"),
    impersonate: parseImpersonation(reader, user),
    exec: parseExec(reader, user, at),
    authProvider: parseAuthProvider(reader, user, at),
  };
}

function parseImpersonation(reader: Reader, user: JsonObject): Impersonation | undefined {
  const name = text(reader, user, "as");
  if (name === undefined) return undefined;
  return { user: name, uid: text(reader, user, "as-uid"), groups: textsIn(ownValue(user, "as-groups")) };
}

function parseExec(reader: Reader, user: JsonObject, at: string): ExecPlugin | undefined {
  const exec = ownValue(user, "exec");
  if (!isJsonObject(exec)) return undefined;
  const command = text(reader, exec, "command");
  if (command === undefined) throw wrong(reader, `${at}: exec.command`, "a program");
  const mode = text(reader, exec, "interactiveMode");
  return {
    apiVersion: text(reader, exec, "apiVersion") ?? "client.authentication.k8s.io/v1",
    // A path is relative to the file; a bare name is looked up in PATH.
    command: command.includes("/") ? resolve(reader.folder, command) : command,
    args: textsIn(ownValue(exec, "args")),
    env: objectsIn(ownValue(exec, "env")).map((one) => ({
      name: text(reader, one, "name") ?? "",
      value: text(reader, one, "value") ?? "",
    })),
    provideClusterInfo: ownValue(exec, "provideClusterInfo") === true,
    interactiveMode: mode === "Never" || mode === "Always" ? mode : "IfAvailable",
    installHint: text(reader, exec, "installHint"),
  };
}

function parseAuthProvider(reader: Reader, user: JsonObject, at: string): AuthProvider | undefined {
  const provider = ownValue(user, "auth-provider");
  if (!isJsonObject(provider)) return undefined;
  const name = text(reader, provider, "name");
  if (name === undefined) throw wrong(reader, `${at}: auth-provider.name`, "a name");
  const config = ownValue(provider, "config");
  const entries = isJsonObject(config) ? Object.entries(config) : [];
  return {
    name,
    config: Object.fromEntries(entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : []))),
  };
}

/** `FIELD-data` is base64 and wins over `FIELD`, a file. */
function dataOrFile(reader: Reader, object: JsonObject, field: string, at: string): DataOrFile | undefined {
  const data = text(reader, object, `${field}-data`);
  if (data !== undefined && data !== "") {
    const decoded = Buffer.from(data, "base64").toString("utf8");
    if (!decoded.includes("-----BEGIN")) throw wrong(reader, `${at}: ${field}-data`, "PEM, encoded as base64");
    return { data: decoded };
  }
  const file = text(reader, object, field);
  return file === undefined || file === "" ? undefined : { file: resolve(reader.folder, file) };
}

function text(reader: Reader, object: JsonObject, key: string): string | undefined {
  const value = ownValue(object, key);
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  // Names and tokens that look like numbers or booleans are often not quoted.
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw wrong(reader, key, "a text");
}

const wrong = ({ file }: Reader, field: string, expected: string): ClusterError =>
  new ClusterError(`${file}: ${field}: expected ${expected}`);
