import { readFile, stat } from "node:fs/promises";
import { ClusterError } from "../cluster-error.ts";
import type { ClusterAccess } from "../kubeconfig/cluster-access.ts";
import type { Impersonation } from "../kubeconfig/kubeconfig.ts";
import type { CredentialOptions, Credentials } from "./credential-types.ts";
import { createExecCredentials } from "./exec-plugin.ts";
import { createOidcCredentials } from "./oidc.ts";
import { pemOf } from "./pem-of.ts";

/** The credentials of a user of a kubeconfig file, in client-go's order of precedence. */
export function createCredentials(
  { user, cluster, impersonate }: ClusterAccess,
  options: CredentialOptions,
): Credentials {
  const own = ownCredentials();
  if (impersonate === undefined) return own;
  const as = impersonationHeaders(impersonate);
  return { ...own, headers: async () => ({ ...(await own.headers()), ...as }) };

  function ownCredentials(): Credentials {
    if (user.exec !== undefined) return createExecCredentials(user.exec, cluster, options);
    if (user.authProvider !== undefined) return createOidcCredentials(user.authProvider, options.env);
    const { certificate, key, username } = user;
    if ((certificate === undefined) !== (key === undefined)) {
      throw new ClusterError("the user of the context has a client certificate or a client key, but not both");
    }
    const token = user.tokenFile !== undefined ? createTokenFile(user.tokenFile) : fixedToken(user.token);
    return {
      headers: async () => {
        const bearer = await token.read();
        if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
        if (username === undefined) return {};
        return { authorization: `Basic ${Buffer.from(`${username}:${user.password ?? ""}`).toString("base64")}` };
      },
      certificate: async () => {
        if (certificate === undefined || key === undefined) return undefined;
        return { cert: await pemOf(certificate, "client certificate"), key: await pemOf(key, "client key") };
      },
      renew: token.renew,
    };
  }
}

interface Token {
  readonly read: () => Promise<string | undefined>;
  readonly renew: () => Promise<boolean>;
}

const fixedToken = (token: string | undefined): Token => ({ read: async () => token, renew: async () => false });

/** A token in a file that is replaced before the token expires. The file is read again when it has changed. */
function createTokenFile(file: string): Token {
  let known: { readonly token: string; readonly modifiedMs: number } | undefined;
  const read = async (): Promise<string> => {
    try {
      const { mtimeMs } = await stat(file);
      if (known?.modifiedMs !== mtimeMs) known = { token: (await readFile(file, "utf8")).trim(), modifiedMs: mtimeMs };
      return known.token;
    } catch (error) {
      throw new ClusterError(`the token file ${file} cannot be read`, { cause: error });
    }
  };
  return {
    read,
    renew: async () => {
      const before = known?.token;
      known = undefined;
      return (await read()) !== before;
    },
  };
}

/** Kubernetes, "User impersonation". */
function impersonationHeaders({ user, uid, groups }: Impersonation): Readonly<Record<string, string>> {
  // HTTP/2 and Node's HTTP/1 take a list of values for one name; joined by a line feed here, split in the transport.
  return {
    "impersonate-user": user,
    ...(uid === undefined ? {} : { "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups.join("\n") }),
  };
}
