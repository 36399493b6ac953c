import { isJsonObject, ownValue } from "../../../core/model/json.ts";
import { ClusterError } from "../cluster-error.ts";
import type { AuthProvider, DataOrFile } from "../kubeconfig/kubeconfig.ts";
import { readJson } from "../transport/read-body.ts";
import { createTransport } from "../transport/transport.ts";
import type { Credentials } from "./credential-types.ts";
import { pemOf } from "./pem-of.ts";

const DEADLINE_MS = 20_000;
const EARLY_MS = 10_000;

/**
 * OpenID Connect tokens
 *
 * The ID token of the kubeconfig file is used until it expires; then the refresh token gets another one. The new tokens are kept in memory
 * only: the kubeconfig file belongs to kubectl.
 * Kubernetes, "OpenID Connect tokens"
 */
export function createOidcCredentials(
  provider: AuthProvider,
  env: Readonly<Record<string, string | undefined>>,
): Credentials {
  if (provider.name !== "oidc") {
    throw new ClusterError(
      `the authentication provider '${provider.name}' of the kubeconfig file does not exist any more`,
      {
        hints: ["Use the provider's exec plugin instead; kubectl has no such provider since 1.26."],
      },
    );
  }
  let token = provider.config["id-token"];
  let refreshToken = provider.config["refresh-token"];
  const refresh = async (): Promise<string> => {
    const fresh = await refreshIdToken({ ...provider.config, "refresh-token": refreshToken ?? "" }, env);
    refreshToken = fresh.refreshToken ?? refreshToken;
    token = fresh.idToken;
    return token;
  };
  let pending: Promise<string> | undefined;
  const refreshOnce = (): Promise<string> => {
    pending ??= refresh().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  return {
    headers: async () => {
      const current = token !== undefined && expiryMs(token) - EARLY_MS > Date.now() ? token : await refreshOnce();
      return { authorization: `Bearer ${current}` };
    },
    certificate: async () => undefined,
    renew: async () => {
      const before = token;
      return (await refreshOnce()) !== before;
    },
  };
}

/** The claim `exp`. A token that cannot be read counts as expired. */
function expiryMs(token: string): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const expiry = isJsonObject(claims) ? ownValue(claims, "exp") : undefined;
    return typeof expiry === "number" ? expiry * 1000 : 0;
  } catch {
    return 0;
  }
}

interface FreshTokens {
  readonly idToken: string;
  readonly refreshToken: string | undefined;
}

/** OpenID Connect Core 1.0, "Using Refresh Tokens". */
async function refreshIdToken(
  config: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<FreshTokens> {
  const issuer = config["idp-issuer-url"] ?? "";
  const refreshToken = config["refresh-token"] ?? "";
  if (refreshToken === "")
    throw new ClusterError("the OIDC token of the context has expired, and there is no refresh token", {
      hints: ["Log in again."],
    });
  const authority = authorityOf(config);
  const send = async (url: URL, form?: URLSearchParams): Promise<unknown> => {
    const transport = createTransport({
      server: url.origin,
      env,
      tls: async () => ({
        ca:
          authority === undefined
            ? undefined
            : await pemOf(authority, "certificate authority of the identity provider"),
      }),
    });
    try {
      const response = await transport.send({
        method: form === undefined ? "GET" : "POST",
        path: `${url.pathname}${url.search}`,
        headers: form === undefined ? { accept: "application/json" } : formHeaders(config),
        ...(form === undefined ? {} : { body: form.toString() }),
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      const body = await readJson(response);
      if (response.status !== 200) throw new Error(`${url.origin} responds with ${response.status}`);
      return body;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ClusterError(`the OIDC token cannot be refreshed: ${reason}`, {
        hints: ["Log in again."],
        cause: error,
      });
    } finally {
      transport.close();
    }
  };
  const discovery = await send(new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`));
  const endpoint = isJsonObject(discovery) ? ownValue(discovery, "token_endpoint") : undefined;
  if (typeof endpoint !== "string") throw new ClusterError(`the OIDC issuer ${issuer} names no token_endpoint`);
  const tokens = await send(
    new URL(endpoint),
    new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken }),
  );
  const idToken = isJsonObject(tokens) ? ownValue(tokens, "id_token") : undefined;
  const next = isJsonObject(tokens) ? ownValue(tokens, "refresh_token") : undefined;
  if (typeof idToken !== "string")
    throw new ClusterError(`the OIDC issuer ${issuer} returned no id_token`, { hints: ["Log in again."] });
  return { idToken, refreshToken: typeof next === "string" ? next : undefined };
}

function formHeaders(config: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const id = encodeURIComponent(config["client-id"] ?? "");
  const secret = encodeURIComponent(config["client-secret"] ?? "");
  return {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
  };
}

function authorityOf(config: Readonly<Record<string, string>>): DataOrFile | undefined {
  const data = config["idp-certificate-authority-data"];
  if (data !== undefined) return { data: Buffer.from(data, "base64").toString("utf8") };
  const file = config["idp-certificate-authority"];
  return file === undefined ? undefined : { file };
}
