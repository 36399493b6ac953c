/** Questions to the API server about rights and identities. Nothing is stored. */
import { type JsonObject, objectAt, textAt, textsIn } from "../../../core/model/json.ts";
import type { KubeClient } from "./kube-client.ts";
import type { CallOptions } from "./object-requests.ts";

/** A user, as the API server has authenticated them. */
export interface ReviewedUser {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A request that a user may or may not be allowed to make. */
export interface ResourceAccess {
  readonly verb: string;
  readonly group: string;
  /** The plural; with `/status` for a subresource. */
  readonly resource: string;
  /** All namespaces, or a cluster-scoped resource, if undefined. */
  readonly namespace?: string | undefined;
  /** All names if undefined. */
  readonly name?: string | undefined;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** The reason that the server gives; often empty. */
  readonly reason: string;
}

const REVIEW_DEADLINE_MS = 10_000;

/** Decides whether a user may make the request (SubjectAccessReview). It needs the right to create subjectaccessreviews. */
export async function reviewAccess(
  client: KubeClient,
  { user, uid, groups, extra }: ReviewedUser,
  access: ResourceAccess,
  options: CallOptions = {},
): Promise<AccessDecision> {
  const spec = { user, groups, extra, ...(uid === undefined ? {} : { uid }), resourceAttributes: attributesOf(access) };
  return decisionOf(await review(client, AUTHORIZATION, "SubjectAccessReview", spec, options));
}

/** Decides whether the user of the client may make the request (SelfSubjectAccessReview). Every user may ask. */
export async function reviewOwnAccess(
  client: KubeClient,
  access: ResourceAccess,
  options: CallOptions = {},
): Promise<AccessDecision> {
  const spec = { resourceAttributes: attributesOf(access) };
  return decisionOf(await review(client, AUTHORIZATION, "SelfSubjectAccessReview", spec, options));
}

export type TokenDecision =
  | { readonly authenticated: true; readonly user: ReviewedUser; readonly audiences: readonly string[] }
  | { readonly authenticated: false; readonly reason: string };

/** Finds the user of a token (TokenReview). A token that is for none of the audiences is not accepted. */
export async function reviewToken(
  client: KubeClient,
  token: string,
  audiences: readonly string[],
  options: CallOptions = {},
): Promise<TokenDecision> {
  const spec = { token, ...(audiences.length === 0 ? {} : { audiences }) };
  const reviewed = await review(client, AUTHENTICATION, "TokenReview", spec, options);
  const status = objectAt(reviewed, "status");
  if (status["authenticated"] !== true)
    return { authenticated: false, reason: textAt(status, "error") || "the token is not valid" };
  const found = textsIn(status["audiences"]);
  // Without audiences in the response the token is for the API server itself.
  if (audiences.length > 0 && !found.some((one) => audiences.includes(one)))
    return { authenticated: false, reason: `the token is not for ${audiences.join(", ")}` };
  return { authenticated: true, user: userOf(objectAt(status, "user")), audiences: found };
}

const AUTHORIZATION = "authorization.k8s.io";
const AUTHENTICATION = "authentication.k8s.io";

function review(
  client: KubeClient,
  group: string,
  kind: string,
  spec: JsonObject,
  options: CallOptions,
): Promise<JsonObject> {
  return client.request({
    method: "POST",
    path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
    body: { apiVersion: `${group}/v1`, kind, spec },
    deadlineMs: REVIEW_DEADLINE_MS,
    ...options,
  });
}

function attributesOf({ verb, group, resource, namespace, name }: ResourceAccess): JsonObject {
  const [plural = "", subresource] = resource.split("/");
  return {
    verb,
    group,
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

function decisionOf(reviewed: JsonObject): AccessDecision {
  const status = objectAt(reviewed, "status");
  const isAllowed = status["allowed"] === true && status["denied"] !== true;
  return { allowed: isAllowed, reason: textAt(status, "reason") || textAt(status, "evaluationError") };
}

function userOf(user: JsonObject): ReviewedUser {
  const uid = textAt(user, "uid");
  const extra: Record<string, readonly string[]> = {};
  for (const [key, values] of Object.entries(objectAt(user, "extra"))) extra[key] = textsIn(values);
  return {
    user: textAt(user, "username"),
    groups: textsIn(user["groups"]),
    extra,
    ...(uid === "" ? {} : { uid }),
  };
}
